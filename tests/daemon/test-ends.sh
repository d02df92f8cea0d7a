#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd leaves nothing behind, however it ends, and is not disturbed by what it finds.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk

case_sigterm_leaves_nothing() {
	start_daemon
	pid=$daemon_pid
	[ "$(instances_of "$pid" | head -n 1)" = "headstartd-$pid" ] || fail "no instance: the test looks at the wrong place"
	stop_daemon TERM
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	[ -z "$(instances_of "$pid")" ] || fail "instances are left: $(instances_of "$pid")"
	[ ! -e /run/headstart/daemon ] || fail "the note is left"
}

case_what_sigkill_leaves_the_next_removes() {
	for try in $(seq 20); do # the daemons of other tests remove it, too
		start_daemon
		pid=$daemon_pid
		stop_daemon KILL
		[ -z "$(instances_of "$pid")" ] || break
	done
	[ "$try" != 20 ] || fail "nothing is left: the test looks at the wrong place"
	start_daemon
	[ -z "$(instances_of "$pid")" ] || fail "instances are left: $(instances_of "$pid")"
	other=$daemon_pid
	"$daemon" --sweep
	[ -n "$(instances_of "$other")" ] || fail "--sweep removes what is in use"
	stop_daemon KILL
	"$daemon" --sweep
	[ -z "$(instances_of "$other")" ] || fail "--sweep leaves: $(instances_of "$other")"
}

# Under systemd it may mount nothing (SystemCallFilter=), and uses the tracefs that systemd has mounted.
case_without_a_mount_of_its_own() {
	refusing="$HEADSTART_TEST_BUILD/tests/prefetch/refuse fsopen EPERM"
	mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
	confined="$confined $refusing"
	start_daemon
	pid=$daemon_pid
	before=$(note execs)
	/bin/true
	until_note execs -gt "$before"
	stop_daemon TERM
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	[ -z "$(instances_of "$pid")" ] || fail "instances are left: $(instances_of "$pid")"
	while umount /sys/kernel/tracing 2>/dev/null; do :; done
	refuses 1 "the kernel refuses tracing" $refusing "$daemon"
}

case_only_one_for_a_state_folder() {
	start_daemon
	refuses 1 "another headstartd runs already" "$daemon"
	HEADSTART_STATE=$tmp/state2 $confined "$daemon" 2>"$tmp/err" &
	second=$!
	until [ "$(note pid)" = "$second" ]; do
		kill -0 "$second" || fail "a second one with another folder does not run: $(cat "$tmp/err")"
		sleep 0.02
	done
	kill -TERM "$second"
	wait "$second"
}

# The kernel's buffers hold them all, also if we get no processor for a while.
case_two_hundred_execs_at_once() {
	start_daemon
	until_note execs -ge 0
	before=$(note execs)
	for i in $(seq 200); do /bin/true & done
	wait_for_all=$(jobs -p)
	for job in $wait_for_all; do [ "$job" = "$daemon_pid" ] || wait "$job"; done
	until_note execs -ge $((before + 200))
	until_a_note && until_a_note # others have executed something, too
	[ "$(note lost)" = 0 ] || fail "events were lost: $(cat /run/headstart/daemon)"
}

case_damaged_store_begins_anew() {
	mkdir -p "$HEADSTART_STATE/learn"
	echo "headstart-known 1 0123 nonsense" >"$HEADSTART_STATE/learn/known"
	start_daemon
	grep -q "known' is damaged: learning begins anew" "$tmp/daemon-log" || fail "it says: $(cat "$tmp/daemon-log")"
	[ "$(note learning)" = 1 ] || fail "it does not learn"
	rm "$HEADSTART_STATE/learn/known"
}

# Stores what was learnt of a program, without the daemon's list of it; $plan is its plan.
store_learnt() {
	mkdir -p "$HEADSTART_STATE/learn"
	cp /bin/true "$disk/program"
	sync -f "$disk"
	printf 'program %s\nargument %s\nlearnt\nfile regular %s\nrange 0 4 0 1\n' "$disk/program" "$disk/program" "$disk/program" |
		"$make_profile" "$tmp/profile"
	"$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
	plan=$(echo "$HEADSTART_STATE"/program-*.plan)
	cp "$tmp/profile" "${plan%.plan}.profile"
}

# As after a rm(1), or if the disk was full: what is stored would otherwise neither age nor count.
case_what_was_learnt_is_found_without_the_list() {
	store_learnt
	start_daemon
	until_note learnt -eq 1
	stop_daemon
	grep -qa "$disk/program" "$HEADSTART_STATE/learn/known" || fail "it is not in the list"
	rm "$HEADSTART_STATE/learn/known" "$HEADSTART_STATE"/program-*
}

# As after 'headstart config apply' while the settings denied the program: what was learnt is there still, and nothing is learnt anew.
case_why_says_that_a_plan_was_removed() {
	store_learnt
	start_daemon
	until_note learnt -eq 1
	stop_daemon # which writes its list
	start_daemon
	rm "$plan"
	"$tool" why "$disk/program" >"$tmp/why" || fail "why"
	grep -q "^next .*'sudo headstart plan --program …' makes one" "$tmp/why" || fail "why says: $(cat "$tmp/why")"
	"$tool" plan --program "$disk/program" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
	"$tool" why "$disk/program" >"$tmp/why" || fail "why"
	grep -q "^next     its plan is carried out when it starts cold" "$tmp/why" || fail "why says: $(cat "$tmp/why")"
	stop_daemon
	rm "$HEADSTART_STATE/learn/known" "$HEADSTART_STATE"/program-*
}

case_root_can_have_all_forgotten_that_was_learnt() {
	store_learnt
	start_daemon
	until_note learnt -eq 1
	refuses 1 "stop it first, with 'sudo systemctl stop headstartd'" "$tool" forget --learnt
	stop_daemon
	[ -e "$plan" ] || fail "it is forgotten though the daemon runs"
	: >"$HEADSTART_STATE/learn/habits"
	"$tool" forget --learnt 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -qx "headstart: forgot what was learnt of 1 program" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	[ -z "$(ls "$HEADSTART_STATE"/program-* 2>/dev/null)" ] || fail "it leaves $(ls "$HEADSTART_STATE")"
	! grep -qas "$disk/program" "$HEADSTART_STATE/learn/known" || fail "it stays in the list"
	[ ! -e "$HEADSTART_STATE/learn/habits" ] || fail "it leaves when programs are started"
	start_daemon
	[ "$(note learnt)" = 0 ] || fail "the daemon knows $(note learnt) programs"
	refuses 1 "headstartd is running" "$tool" forget --learnt
	stop_daemon
	refuses 1 "nothing was learnt for everybody" "$tool" forget --learnt
	# There may be nothing else: of programs that somebody has recorded.
	: >"$HEADSTART_STATE/learn/habits"
	"$tool" forget --learnt 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -qx "headstart: forgot at which hours programs are started" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	[ ! -e "$HEADSTART_STATE/learn/habits" ] || fail "it leaves when programs are started"
}

case_store_of_a_newer_version_is_left_alone() {
	mkdir -p "$HEADSTART_STATE/learn"
	printf 'headstart-known 9 0\nwho knows\n' >"$HEADSTART_STATE/learn/known"
	cp "$HEADSTART_STATE/learn/known" "$tmp/newer"
	start_daemon
	grep -q "was written by a newer headstart: nothing is learnt" "$tmp/daemon-log" || fail "it says: $(cat "$tmp/daemon-log")"
	[ "$(note learning)" = 0 ] || fail "it learns"
	stop_daemon
	cmp "$tmp/newer" "$HEADSTART_STATE/learn/known" || fail "the store was changed"
	rm "$HEADSTART_STATE/learn/known"
}

# The formats of all events of a system would take 35 MB.
case_memory_is_small() {
	start_daemon
	used=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$daemon_pid/status")
	[ "$used" -lt 24000 ] || fail "it uses $used kB"
}

case_store_is_for_root_alone() {
	start_daemon
	[ "$(stat -c %a "$HEADSTART_STATE/learn")" = 700 ] || fail "$(stat -c %a "$HEADSTART_STATE/learn")"
}

# systemd hears that it is ready, by a socket of either kind.
case_systemd_is_told() {
	for address in "$tmp/notify" "@headstart-test-$$"; do
		/usr/bin/python3 - "$address" "$tmp/bound" >"$tmp/told" <<'END2' &
import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1].replace("@", "\0"))
open(sys.argv[2], "w").close()
server.settimeout(60)
print(server.recv(4096).decode().splitlines()[0], flush=True)
END2
		listener=$!
		until [ -e "$tmp/bound" ]; do sleep 0.02; done
		export NOTIFY_SOCKET="$address"
		start_daemon
		wait "$listener"
		grep -qx READY=1 "$tmp/told" || fail "at $address it said: $(cat "$tmp/told")"
		stop_daemon
		rm "$tmp/bound"
	done
}

run_cases
