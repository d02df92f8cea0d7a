# Shared by the tests of headstartd: a daemon in the foreground, with a state folder and a /run of its own. Source it after sh-lib.sh;
# the test begins again in a mount namespace of its own. Other daemons may run on the machine: nothing here looks at them. Nor does the
# daemon look at what other tests start: what it read ahead for them would be in memory, where they do not expect it.
[ "$(id -u)" = 0 ] || skip "headstartd needs root"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/hanging-lib.sh"
export HEADSTART_STATE=$tmp/state
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
daemon=$HEADSTART_TEST_BUILD/tools/headstartd
# As the unit has it: the daemon gets along with these.
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$HEADSTART_TEST_SOURCE/packaging/headstartd.service.in" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
[ -n "$capabilities" ] || fail "the unit names no capabilities"
confined="setpriv --no-new-privs --bounding-set -all,$capabilities --"
mount -t tmpfs -o mode=755 tmpfs /run
mkdir "$tmp/tracefs"
# Settings of root's. A test that has its own begins with these.
only_ours="[programs]
allow = $(realpath "$tmp")/*
"
printf '%s' "$only_ours" >"$tmp/only-ours.conf"
daemon_pid=

# Prints the tracing instances of a daemon with that process number.
instances_of() {
	mount -t tracefs tracefs "$tmp/tracefs" || fail "no tracefs"
	ls "$tmp/tracefs/instances" | grep "^headstartd-$1\(-watch-[0-9]*\)\?\$" || :
	umount "$tmp/tracefs"
}

# note NAME: a number from what the daemon says of itself.
note() { sed -n "s/^$1: //p" /run/headstart/daemon; }

# Starts the daemon, and waits until it sees what is executed.
start_daemon() { # [OPTION…]
	rm -rf /run/headstart
	HEADSTART_CONFIG=${HEADSTART_CONFIG-$tmp/only-ours.conf} $confined "$daemon" "$@" 2>"$tmp/daemon-log" 7>&- &
	daemon_pid=$!
	until [ -e /run/headstart/daemon ]; do
		kill -0 "$daemon_pid" 2>/dev/null || fail "the daemon has ended: $(cat "$tmp/daemon-log")"
		sleep 0.02
	done
}

stop_daemon() { # [SIGNAL]
	[ -n "$daemon_pid" ] || return 0
	kill -"${1:-TERM}" "$daemon_pid" 2>/dev/null || :
	wait "$daemon_pid" && daemon_status=0 || daemon_status=$?
	daemon_pid=
}

# until_note NAME TEST NUMBER: waits until the number is so, as `until_note started -ge 1`.
# $note_tries says how often it looks.
until_note() {
	for try in $(seq "${note_tries:-600}"); do
		[ "$(note "$1")" "$2" "$3" ] && return 0
		kill -0 "$daemon_pid" 2>/dev/null || fail "the daemon has ended: $(cat "$tmp/daemon-log")"
		sleep 0.05
	done
	fail "'$1' of the daemon is $(note "$1"), not $2 $3: $(cat /run/headstart/daemon)"
}

# Gives the daemon two seconds, by the clock, for its number to become that: it looks at a start for five (src/learn/starts.h).
await_note() { # NAME NUMBER
	read -r await_begun rest </proc/uptime
	while [ "$(note "$1")" -lt "$2" ]; do
		read -r await_now rest </proc/uptime
		[ $((${await_now%.*} - ${await_begun%.*})) -lt 2 ] || break
		sleep 0.05
	done
}

# Whether the daemon starts more prefetchers than that, within some seconds.
soon_started() { # NUMBER
	for look in $(seq 60); do
		[ "$(note started)" -le "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

# Waits until the daemon has seen all that was executed before, and the children have ended that it did not have at begin_to_see. One that
# looks at /proc for it stays, and may be replaced; all others end within ten seconds. The first new note may be of what was seen earlier.
begin_to_see() {
	until_a_note
	children_of_daemon >"$tmp/children-that-stay"
}
until_all_is_seen() {
	until_a_note && until_a_note
	for try in $(seq 240); do
		children_of_daemon | grep -qvxF -f "$tmp/children-that-stay" || break
		sleep 0.05
	done
	until_a_note && until_a_note
}
children_of_daemon() { tr -s ' ' '\n' <"/proc/$daemon_pid/task/$daemon_pid/children"; }
until_a_note() {
	execs_before=$(note execs)
	/bin/true
	until_note execs -gt "$execs_before"
}

at_case_exit() {
	end_hanging
	[ -z "$daemon_pid" ] || {
		kill -TERM "$daemon_pid" 2>/dev/null || :
		wait "$daemon_pid" || :
	}
	"$daemon" --sweep
}

# record COMMAND…: records while no other test does, also of other clones. Somebody who takes no turns may record all the same.
record() {
	take_turn
	until "$tool" record --quiet -- "$@" 2>"$tmp/err" 7>&-; do
		grep -q "another recording is running" "$tmp/err" || fail "record: $(cat "$tmp/err")"
		sleep 0.1 # it is no child of ours, so wait(2) cannot tell
	done
	exec 7<&-
}

# Where tracing is refused, as in some containers, there is no daemon.
can_trace_execs() {
	"$daemon" --sweep 2>"$tmp/err" || skip "no tracing here: $(cat "$tmp/err")"
}

# A program that reads its data only when it is told to: whatever comes before, somebody else has read. `static` if it can be
# made, so that no shim could do it.
make_waiter() { # FOLDER
	cc -O1 -static -DDATA="\"$1/data\"" -DGO="\"$tmp/go\"" -o "$1/waiter" "$HEADSTART_TEST_SOURCE/tests/daemon/waiter.c" 2>"$tmp/err" || skip "no static libc: $(cat "$tmp/err")"
	head -c 4000000 /dev/urandom >"$1/data"
	sync -f "$1"
	chmod 755 "$tmp" # what only root can see is not learnt
}

# Starts the waiter cold. It reads its data a little later: the daemon's child is not there at once.
start_cold() { # [COMMAND that starts its arguments…]
	"$page" out "$disk/waiter" "$disk/data" || fail "pages stay in the page cache"
	rm -f "$tmp/go"
	"$@" "$disk/waiter" &
	waiter=$!
	(sleep 0.2 && : >"$tmp/go") &
}

# Starts the waiter cold until the daemon has noted it and written that down. It stays meanwhile: on a busy machine the daemon may look
# seldom.
waiter_is_noted() { # [COMMAND that starts its arguments…]
	for start in $(seq 10); do
		: >"$tmp/go.stay"
		start_cold "$@"
		for try in $(seq 300); do
			! grep -qas "$disk/waiter" "$HEADSTART_STATE/learn/known" || break
			kill -0 "$daemon_pid" || fail "the daemon has ended: $(cat "$tmp/daemon-log")"
			sleep 0.05
		done
		rm "$tmp/go.stay"
		wait "$waiter" || fail "the program fails"
		[ "$try" = 300 ] || return 0
	done
	fail "a cold start is not noted: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}

# What was learnt can be read, by the daemon and by the tools.
store_is_good() {
	! grep -q damaged "$tmp/daemon-log" || fail "the daemon finds: $(cat "$tmp/daemon-log")"
	"$tool" why "$disk/waiter" >"$tmp/out" 2>&1 || fail "why: $(cat "$tmp/out")"
	"$tool" list >"$tmp/out" 2>&1 || fail "list: $(cat "$tmp/out")"
	for file in "$HEADSTART_STATE"/*.profile "$HEADSTART_STATE"/*.plan; do
		[ ! -e "$file" ] || "$tool" show "$file" >"$tmp/out" 2>&1 || fail "$file: $(cat "$tmp/out")"
	done
}
