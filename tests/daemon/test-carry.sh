#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd carries out root's plan of a static program, which no shim reaches.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
: >"$tmp/go"
record "$disk/waiter"

make_cold() { "$page" out "$disk/waiter" "$disk/data" || fail "pages stay in the page cache"; }

# Starts the waiter, which reads nothing, and waits for the daemon to have done what it does.
start_waiter() { # COMMAND…
	rm -f "$tmp/go"
	"$@" &
	waiter=$!
}
end_waiter() {
	: >"$tmp/go"
	wait "$waiter" || fail "the waiter fails"
}

all_came() { "$page" came "$disk/data" >"$tmp/came"; }
none_came() { "$page" none "$disk/data" >"$tmp/came"; }

becomes_warm() {
	make_cold
	start_waiter "$disk/waiter"
	for try in $(seq 100); do
		all_came && break
		sleep 0.05
	done
	end_waiter
	[ "$try" != 100 ] || fail "only $(cat "$tmp/came") bytes came: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}
case_static_program_becomes_warm() {
	start_daemon --no-learn
	until_undisturbed becomes_warm
	until_note started -ge 1
}

# The daemon is confined as its unit says, but for the devices that it may open.
carries_metadata() {
	"$page" out "$disk/other" "$disk/data" || fail "pages stay in the page cache"
	start_waiter "$disk/other"
	for try in $(seq 100); do
		grep -q "^prefetch program=$disk/other .* swept=262144$" "$tmp/log" 2>/dev/null && break
		sleep 0.05
	done
	end_waiter
	[ "$try" != 100 ] || fail "the metadata was not read: $(cat "$tmp/log" /run/headstart/daemon "$tmp/daemon-log")"
}
case_metadata_is_read_first() {
	cp "$disk/waiter" "$disk/other"
	sync -f "$disk"
	"$make_profile" "$tmp/other" <<-END
		program $disk/other
		file regular $disk/other
		range 0 4 0 1
		file regular $disk/data
		range 0 900 4 1
		metadata $disk 0 64
	END
	"$tool" plan "$tmp/other" >/dev/null
	export HEADSTART_LOG="$tmp/log"
	start_daemon --no-learn
	until_undisturbed carries_metadata
}

stays_cold() { # COMMAND that starts its arguments…
	make_cold
	begin_to_see
	start_waiter "$@" "$disk/waiter"
	until [ "$(readlink "/proc/$waiter/exe")" = "$disk/waiter" ]; do sleep 0.02; done
	until_all_is_seen
	cold=
	! none_came || cold=1
	end_waiter
	[ -n "$cold" ] || fail "the plan was carried out: $(cat "$tmp/came")"
	[ "$(note started)" = 0 ] || fail "a prefetcher was started: $(cat /run/headstart/daemon)"
}

# Whoever switches headstart off for a program switches the daemon off as well.
case_switched_off_by_the_environment() {
	start_daemon --no-learn
	stays_cold env HEADSTART=off
}

# A user can make a link lead elsewhere before the daemon follows it. The program is still what was executed. The daemon follows links in
# the kernel's cache alone, which may refuse while somebody renames files; then it sees no planned program, and the test begins again.
case_link_that_leads_elsewhere_later() {
	start_daemon --no-learn
	make_cold
	for try in $(seq 20); do
		ln -sfn "$(realpath /bin/sleep)" "$tmp/link"
		before=$(note execs) || fail "no note"
		kill -STOP "$daemon_pid"
		"$tmp/link" 30 &
		sleeper=$!
		until [ "$(readlink "/proc/$sleeper/exe")" = "$(realpath /bin/sleep)" ]; do sleep 0.02; done
		ln -sfn "$disk/waiter" "$tmp/link"
		[ -e "$tmp/link" ] # as the kernel does when it executes a link's program: who follows it first has to note the time
		kill -CONT "$daemon_pid"
		until_note execs -gt "$before"
		for look in $(seq 200); do # the daemon lets programs go first
			[ "$(note failed)" = 0 ] || break
			sleep 0.05
		done
		kill "$sleeper"
		[ "$look" = 200 ] || break
	done
	[ "$look" != 200 ] || fail "the daemon never followed the link: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	none_came || fail "the plan of another program was carried out: $(cat "$tmp/came")"
	[ "$(note started)" = 0 ] || fail "a prefetcher was started: $(cat /run/headstart/daemon)"
}

case_paused() {
	start_daemon --no-learn
	"$tool" pause || fail "pause"
	"$tool" status | grep -qx 'daemon    paused' || fail "status: $("$tool" status)"
	"$tool" why "$disk/waiter" | grep -q '^next     nothing: the daemon is paused' || fail "why: $("$tool" why "$disk/waiter")"
	sleep 1.1 # the daemon looks once a second
	stays_cold env
	"$tool" resume || fail "resume"
	"$tool" why /bin/true | grep -q '^next     nothing: headstartd does not learn; it was started with --no-learn' || fail "why: $("$tool" why /bin/true)"
	printf '[daemon]\nlearn = no\n' >"$tmp/no-learning.conf"
	HEADSTART_CONFIG="$tmp/no-learning.conf" "$tool" why /bin/true | grep -qx "next     nothing: the settings switch learning off ('learn = no')" || fail "why: it does not know the settings"
	[ ! -e /run/headstart/paused ] || fail "it is paused still"
	"$tool" status | grep -qx 'daemon    running: 0 plans carried out, 0 programs learnt' || fail "status: $("$tool" status)"
	for_others "$tool" # where users do not see others' processes
	unshare --mount sh -c "mount -t proc -o hidepid=2 proc /proc && exec $as_nobody '$others/headstart-tool' status" >"$tmp/out" || fail "status: $(cat "$tmp/out")"
	grep -q '^daemon    running' "$tmp/out" || fail "without /proc status says: $(cat "$tmp/out")"
	"$tool" resume || fail "resume without a pause"
}

case_settings_deny() {
	start_daemon --no-learn
	stop_daemon
	mkdir "$tmp/conf"
	printf '%sdeny = %s/*\n' "$only_ours" "$disk" >"$tmp/conf/headstart.conf"
	export HEADSTART_CONFIG=$tmp/conf/headstart.conf
	start_daemon --no-learn
	stays_cold env
}

# Of root's plan all leave to the daemon's prefetcher what it has begun (format/plan-locks.h).
case_one_owner() {
	plan=$(echo "$HEADSTART_STATE"/waiter-*.plan)
	hold_lock "$plan" 1 1
	make_cold
	"$prefetch" --wait --fd 9 9<"$plan"
	none_came || fail "a shim's prefetcher does not leave the plan to the daemon's: $(cat "$tmp/came")"
	rm -f "$tmp/go"
	LD_PRELOAD=$preload HEADSTART_LOG=$tmp/log HEADSTART_PREFETCH=$prefetch sh -c '"$1" & : >"$2"; wait' sh "$disk/waiter" "$tmp/go"
	grep -q "program=$disk/waiter .*plan=running" "$tmp/log" || fail "a shim starts a prefetcher beside the daemon's: $(cat "$tmp/log")"
	: >"$tmp/go"
	rm "$tmp/locked"
	wait "$holder"
	carried_out() {
		make_cold
		"$prefetch" --wait --fd 9 9<"$plan"
		all_came || fail "the lock stays: $(cat "$tmp/came")"
	}
	until_undisturbed carried_out
}

# A script without a plan has that of its interpreter for this script: the arguments are the interpreter's, too.
case_script_has_its_interpreters_plan() {
	mkdir "$tmp/hosts"
	printf '[host]\noperand = word\n' >"$tmp/hosts/host.conf"
	export HEADSTART_HOSTS=$tmp/hosts
	cp "$disk/waiter" "$disk/host"
	printf '#!%s\n' "$disk/host" >"$disk/script"
	chmod +x "$disk/script"
	sync -f "$disk"
	printf 'program %s\nargument %s\nargument %s\nfile regular %s\nrange 0 900 0 1\n' "$disk/host" "$disk/host" "$disk/script" "$disk/data" |
		"$make_profile" "$tmp/profile"
	"$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
	[ -e "$(echo "$HEADSTART_STATE"/host-*@*.plan)" ] || fail "no plan of this script: $(ls "$HEADSTART_STATE")"
	start_daemon --no-learn
	begins() {
		make_cold
		rm -f "$tmp/go"
		"$disk/script" &
		waiter=$!
		for try in $(seq 100); do
			! "$page" came "$disk/data" >"$tmp/came" || break
			[ "$(tail -n 1 "$tmp/came")" -lt 3000000 ] || break
			sleep 0.05
		done
		: >"$tmp/go"
		wait "$waiter" || : # it looks for another file
		[ "$try" != 100 ] || fail "only $(cat "$tmp/came") bytes came: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	}
	until_undisturbed begins
	unset HEADSTART_HOSTS
}

run_cases
