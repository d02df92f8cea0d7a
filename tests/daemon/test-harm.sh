#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever happens to headstartd while it learns, nothing hangs, and nothing is lost but the lesson of that start.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
at_exit() {
	umount "$disk" "$HEADSTART_STATE" 2>/dev/null || :
}
# While another test records, starts that are cold teach nothing.
take_turn

# Starts the waiter cold. It reads its data a little later: the daemon's child is not there at once.
start_cold() {
	"$page" out "$disk/waiter" "$disk/data" || fail "pages stay in the page cache"
	rm -f "$tmp/go"
	"$disk/waiter" &
	waiter=$!
	(sleep 0.2 && : >"$tmp/go") &
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

# The moments are random. Each round begins with a program that is noted and not learnt.
case_killed_at_twenty_moments() {
	start_daemon
	start_cold
	wait "$waiter"
	until_note known -ge 1
	stop_daemon
	grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" || fail "the program is not noted: the test looks at the wrong thing"
	cp "$HEADSTART_STATE/learn/known" "$tmp/noted"
	killed=
	learnt=0
	for moment in $(awk 'BEGIN { srand(); for (i = 0; i < 20; i++) print int(rand() * 1500) }'); do
		rm -f "$HEADSTART_STATE"/waiter-*
		cp "$tmp/noted" "$HEADSTART_STATE/learn/known"
		start_daemon
		start_cold
		sleep "$(awk "BEGIN { print $moment / 1000 }")"
		killed="$killed $daemon_pid"
		stop_daemon KILL
		wait "$waiter" || fail "the program fails: killed after $moment ms"
		store_is_good
		[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || learnt=$((learnt + 1))
	done
	echo "learnt in $learnt of 20 rounds"
	# A daemon that did not come to note what it has kept: the next one finds it.
	[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || {
		cp "$tmp/noted" "$HEADSTART_STATE/learn/known"
		adopted=1
	}
	start_daemon
	[ -z "${adopted-}" ] || until_note learnt -ge 1
	for pid in $killed; do
		[ -z "$(instances_of "$pid")" ] || fail "instances of $pid are left: $(instances_of "$pid")"
		[ ! -e "/proc/$pid" ] || fail "$pid is left"
	done
	store_is_good
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	grep -lz "^HEADSTART_STATE=$HEADSTART_STATE\$" /proc/[0-9]*/environ 2>/dev/null | sed 's/environ$/exe/' | xargs -r readlink >"$tmp/out" || :
	! grep -q headstartd "$tmp/out" || fail "processes are left: $(cat "$tmp/out")"
}

case_disk_of_the_store_is_full() {
	rm -rf "$HEADSTART_STATE"
	mkdir "$HEADSTART_STATE"
	mount -t tmpfs -o size=64k,mode=755 tmpfs "$HEADSTART_STATE"
	start_daemon
	start_cold
	wait "$waiter"
	until_note known -ge 1
	head -c 1000000 /dev/zero >"$HEADSTART_STATE/full" 2>"$tmp/err" || :
	for start in 1 2 3; do
		start_cold
		wait "$waiter" || fail "the program fails"
	done
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	rm "$HEADSTART_STATE/full"
	[ -z "$(find "$HEADSTART_STATE" -name '*.tmp*')" ] || fail "temporary files are left: $(ls -R "$HEADSTART_STATE")"
	start_daemon
	store_is_good
	stop_daemon
	umount "$HEADSTART_STATE"
}

run_cases
