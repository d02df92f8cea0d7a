#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd learns a program by itself: a cold start is noted, the next one is traced, and the one after that finds a plan.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
mkdir -m 700 "$disk/data.closed"
head -c 400000 /dev/urandom >"$disk/data.closed/data"
head -c 400000 /dev/urandom >"$disk/data.theirs"
chown 65534 "$disk/data.theirs"
sync -f "$disk"
: >"$tmp/go"
# While another test records, starts that are cold teach nothing.
share_turn

make_cold() { "$page" out "$disk/waiter" $(find "$disk" -type f -name "data*") || fail "pages stay in the page cache"; }

# Other programs of this machine may start cold as well, so only what the daemon says of this one counts.
is_learnt() { grep -q "learnt how '$disk/waiter' starts${1:+ with other arguments}\$" "$tmp/daemon-log"; }

by= # in front of the command: who starts it

# Starts the waiter cold. It reads its data once the daemon's number is so, or after two seconds.
cold_start() { # NAME NUMBER [WORD]
	make_cold
	rm -f "$tmp/go"
	$by "$disk/waiter" ${3:+"$3"} &
	waiter=$!
	await_note "$1" "$2"
	: >"$tmp/go"
	wait "$waiter"
}

# Starts a program cold that reads its data at once, and stays until the daemon has looked at it for the last time, after five seconds.
long_cold_start() { # COMMAND…
	make_cold
	: >"$tmp/go"
	: >"$tmp/go.stay"
	"$@" &
	waiter=$!
	sleep 6
	rm "$tmp/go.stay"
	wait "$waiter"
}

# Starts the waiter cold until it is learnt. Another start that begins at the same moment may be traced instead.
cold_starts() { # [WORD [not the first]]
	for start in $(seq 10); do
		cold_start tracing 1 "${1-}"
		for try in $(seq 160); do
			is_learnt "${2-}" && return 0
			sleep 0.05
		done
		[ "$start" -gt 1 ] || [ ! -e "$HEADSTART_STATE/learn/known" ] || grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" ||
			fail "the first cold start is not noted"
	done
	fail "after $start cold starts it is not learnt: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}

# As recorders do that were killed, of a start together with its guard, and of a boot. The daemon learns all the same.
leave_instances() {
	mount -t tracefs tracefs "$tmp/tracefs"
	mkdir "$tmp/tracefs/instances/headstart-$$" # others run this test, too
	mkdir -p "$tmp/tracefs/instances/headstart-boot"
	umount "$tmp/tracefs"
}

case_third_cold_start_has_a_plan() {
	cp /bin/true "$disk/data-helper"
	cp /bin/true "$disk/data.closed/helper"
	sync -f "$disk"
	leave_instances
	start_daemon
	cold_starts
	rm "$disk/data-helper" "$disk/data.closed/helper"
	plan=$(echo "$HEADSTART_STATE"/waiter-*.plan) profile=$(echo "$HEADSTART_STATE"/waiter-*.profile)
	[ "$(stat -c %a "$plan" "$profile" | paste -s -d ,)" = 644,600 ] || fail "modes: $(ls -l "$HEADSTART_STATE")"
	"$tool" show --json "$profile" >"$tmp/shown" || fail "the profile is not good"
	json "$tmp/shown" - "$disk" <<'END2' || fail "the profile does not say what happened"
files = {file["path"]: file for file in TOP["files"]}
data = files.get(ARGS[0] + "/data")
assert TOP["program"] == ARGS[0] + "/waiter", TOP["program"]
assert data and sum(range["pages"] for range in data["ranges"]) == (4000000 + 4095) // 4096, data
assert ARGS[0] + "/waiter" in files, sorted(files)
private = [path for path in files if path.startswith(ARGS[0] + "/data.")]
assert not [path for path in private if path != ARGS[0] + "/data.closed"], private # nor does the plan name them
executed = [point["path"] for point in TOP["execs"]] # names in closed folders are nobody's business
assert ARGS[0] + "/data-helper" in executed and ARGS[0] + "/data.closed/helper" not in executed, executed
assert "learnt" in TOP["bias"] and "readahead" in TOP["bias"], TOP["bias"]
END2
	"$tool" why "$disk/waiter" >"$tmp/why" || fail "why"
	grep -q "^next     its plan is carried out when it starts cold" "$tmp/why" || fail "why says: $(cat "$tmp/why")"
	"$tool" list >"$tmp/list"
	grep -q waiter "$tmp/list" || fail "list does not show it: $(cat "$tmp/list")"
	before=$(note started)
	cold_start started $((before + 1))
	until_note started -ge $((before + 1))
	# It is written down, and known after a new start of the daemon.
	stop_daemon
	start_daemon
	[ "$(note learnt)" -ge 1 ] || fail "it is forgotten: $(cat /run/headstart/daemon)"
}

case_what_is_forgotten_is_learnt_again() {
	[ -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || fail "the case before has left no plan"
	start_daemon
	"$tool" forget "$disk/waiter" 2>"$tmp/err" || fail "forget: $(cat "$tmp/err")"
	"$tool" why "$disk/waiter" >"$tmp/why" || fail "why"
	grep -q "^next .* a cold start would be noted anew" "$tmp/why" || fail "why says: $(cat "$tmp/why")"
	cold_starts
	[ -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || fail "there is no plan: $(cat "$tmp/daemon-log")"
}

# What somebody has recorded is not replaced; what was learnt goes when its budget is used up.
case_what_was_learnt_has_a_budget() {
	[ -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || fail "the case before has left no plan"
	start_daemon --budget 0
	until_note learnt -eq 0
	stop_daemon # a child of its own removes the files
	[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || fail "the plan stays: $(ls "$HEADSTART_STATE")"
	[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.profile)" ] || fail "the profile stays"
}

# Others could fill root's folder with plans and names of their choice.
case_program_of_others_is_not_noted() {
	rm -rf "$HEADSTART_STATE"
	cp "$disk/waiter" "$disk/theirs"
	chown 65534 "$disk/theirs"
	sync -f "$disk"
	start_daemon
	long_cold_start "$disk/theirs"
	long_cold_start "$disk/waiter"
	for try in $(seq 400); do
		! grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" 2>/dev/null || break
		sleep 0.05
	done
	[ "$try" != 400 ] || fail "the other program is not noted either: $(cat /run/headstart/daemon)"
	stop_daemon
	! grep -qa "$disk/theirs" "$HEADSTART_STATE/learn/known" || fail "it is noted"
	rm "$disk/theirs"
	rm -rf "$HEADSTART_STATE"
}

case_what_was_recorded_stays() {
	rm -rf "$HEADSTART_STATE"
	flock 7 # the case has the turn that the test shares, and cannot wait for another one
	until "$tool" record --quiet -- "$disk/waiter" 2>"$tmp/err" 7>&-; do
		grep -q "another recording is running" "$tmp/err" || fail "record: $(cat "$tmp/err")"
		sleep 0.1
	done
	flock --shared 7
	cp "$(echo "$HEADSTART_STATE"/waiter-*.profile)" "$tmp/recorded"
	start_daemon
	cold_start started 1
	until_note started -ge 1
	stop_daemon
	! grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" 2>/dev/null || fail "a start with a plan is learnt"
	cmp "$tmp/recorded" "$(echo "$HEADSTART_STATE"/waiter-*.profile)" || fail "the recording was changed"
}

# It may be a recording of a newer version.
case_profile_that_cannot_be_read_stays() {
	profile=$(echo "$HEADSTART_STATE"/waiter-*.profile)
	[ -e "$profile" ] || fail "the case before has left no recording"
	rm "$HEADSTART_STATE"/*.plan
	echo "nobody knows" >"$profile"
	cp "$profile" "$tmp/unknown"
	start_daemon
	for start in 1 2 3; do
		cold_start tracing 1
		until_note tracing -eq 0
		for try in $(seq 400); do
			! grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" 2>/dev/null || break
			sleep 0.05
		done
	done
	[ "$try" != 400 ] || fail "no start was cold"
	! is_learnt || fail "it is learnt"
	cmp "$tmp/unknown" "$profile" || fail "the profile was changed"
	rm -rf "$HEADSTART_STATE"
}

# A host has a plan for each start that is told apart from the others, and what is no longer used makes room.
case_other_starts_of_a_host_are_learnt() {
	rm -rf "$HEADSTART_STATE"
	mkdir "$tmp/hosts"
	printf '[waiter]\noperand = word\n' >"$tmp/hosts/waiter.conf"
	export HEADSTART_HOSTS=$tmp/hosts
	head -c 3000000 /dev/urandom >"$disk/data-plum"
	head -c 3000000 /dev/urandom >"$disk/data-pear"
	sync -f "$disk"
	start_daemon
	cold_starts plum
	[ "$(ls "$HEADSTART_STATE" | grep -c '@.*plan$')" = 1 ] || fail "no plan of the first start: $(ls "$HEADSTART_STATE")"
	long_cold_start "$disk/waiter" pear
	cold_starts pear other
	[ "$(ls "$HEADSTART_STATE" | grep -c '@.*plan$')" = 2 ] || fail "no plan of the second start: $(ls "$HEADSTART_STATE")"
	for try in $(seq 200); do # the daemon's child writes what is known
		"$tool" why "$disk/waiter" >"$tmp/why"
		! grep -q '^keys     2 kinds of starts are learnt' "$tmp/why" || break
		sleep 0.05
	done
	[ "$try" != 200 ] || fail "why: $(cat "$tmp/why")"
	# Each start finds what is its own, before it has read anything.
	for word in plum pear; do
		sleep 1.1 # a program is looked at once a second
		make_cold
		rm -f "$tmp/go"
		"$disk/waiter" "$word" &
		waiter=$!
		for try in $(seq 100); do
			! "$page" came "$disk/data-$word" >"$tmp/came" || break
			sleep 0.05
		done
		: >"$tmp/go"
		wait "$waiter"
		[ "$try" != 100 ] || fail "'$word' finds $(cat "$tmp/came"): $(cat /run/headstart/daemon "$tmp/daemon-log")"
	done
	# One that is forgotten is learnt again.
	"$tool" forget "$disk/waiter" pear 2>"$tmp/err" || fail "forget: $(cat "$tmp/err")"
	[ "$(ls "$HEADSTART_STATE" | grep -c '@.*plan$')" = 1 ] || fail "its plan stays: $(ls "$HEADSTART_STATE")"
	long_cold_start "$disk/waiter" pear
	for start in $(seq 10); do
		cold_start tracing 1 pear
		note_tries=1200 until_note tracing -eq 0
		[ "$(ls "$HEADSTART_STATE" | grep -c '@.*plan$')" = 1 ] || break
	done
	[ "$(ls "$HEADSTART_STATE" | grep -c '@.*plan$')" = 2 ] || fail "it is not learnt again: $(ls "$HEADSTART_STATE"; cat /run/headstart/daemon "$tmp/daemon-log")"
	! grep -q "plum\|pear" "$tmp/daemon-log" || fail "the journal has arguments: $(cat "$tmp/daemon-log")"
	[ "$(grep -c "'$disk/waiter' starts cold: its plan is carried out" "$tmp/daemon-log")" -ge 2 ] || fail "it says: $(cat "$tmp/daemon-log")"
	stop_daemon
	start_daemon --quiet --budget 0
	until_note learnt -eq 0
	stop_daemon
	[ "$(find "$HEADSTART_STATE" -name 'waiter*' | wc -l)" = 0 ] || fail "it leaves: $(ls "$HEADSTART_STATE")"
	unset HEADSTART_HOSTS
	rm "$disk/data-plum" "$disk/data-pear"
}

# The name of a plan has the key of its start, and others could test guesses at the text of a command.
case_texts_of_users_are_no_keys() {
	rm -rf "$HEADSTART_STATE" "$tmp/hosts"
	mkdir "$tmp/hosts"
	printf '[waiter]\noperand = text\n' >"$tmp/hosts/waiter.conf"
	export HEADSTART_HOSTS=$tmp/hosts
	chmod 755 "$tmp"
	setpriv --reuid 65534 test -x "$disk/waiter" || skip "the folder of tests is closed to other users"
	for word in first theirs ours; do head -c 3000000 /dev/urandom >"$disk/data-$word"; done
	sync -f "$disk"
	start_daemon
	cold_starts first
	long_cold_start setpriv --reuid 65534 "$disk/waiter" theirs
	long_cold_start "$disk/waiter" ours
	for try in $(seq 300); do
		"$tool" why "$disk/waiter" >"$tmp/why"
		! grep -q '^keys .* learnt, [1-9]' "$tmp/why" || break
		sleep 0.05
	done
	grep -qx 'keys     1 kind of starts is learnt, 1 more was cold' "$tmp/why" || fail "why: $(cat "$tmp/why")"
	rm "$disk"/data-*
	unset HEADSTART_HOSTS
}

# This user has no file of their own that the start touches.
case_start_of_a_user_is_learnt() {
	by="setpriv --reuid 65533 --regid 65533 --clear-groups --"
	rm -rf "$HEADSTART_STATE"
	start_daemon
	cold_starts
	until_note learnt -eq 1
	stop_daemon
	by=
	rm -rf "$HEADSTART_STATE"
}

run_cases
