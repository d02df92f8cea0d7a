#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever happens to headstartd while it learns, nothing hangs, and nothing is lost but the lesson of that start.
# HEADSTART_TEST_KILLS says how often it is killed, 10 times by default, and HEADSTART_TEST_SEED repeats the moments of a run.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
at_exit() {
	umount "$disk" "$HEADSTART_STATE" 2>/dev/null || :
}
# While another test records, starts that are cold teach nothing.
share_turn

# A program that somebody has recorded: whatever happens, this stays as it is.
record_witness() {
	cp /bin/true "$disk/witness"
	printf 'program %s\nfile regular %s\nrange 0 4 0 1\n' "$disk/witness" "$disk/witness" | "$make_profile" "$tmp/witness"
	"$tool" plan "$tmp/witness" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
	witness=$(echo "$HEADSTART_STATE"/witness-*.plan)
	cp "$witness" "$tmp/witness-plan"
	cp "$tmp/witness" "${witness%.plan}.profile"
}

witness_stays() {
	cmp "$tmp/witness-plan" "$witness" && cmp "$tmp/witness" "${witness%.plan}.profile" || fail "what was recorded is lost: $(ls -l "$HEADSTART_STATE")"
}

# Prints the programs of the daemon's processes.
daemons_left() {
	grep -lz "^HEADSTART_STATE=$HEADSTART_STATE\$" /proc/[0-9]*/environ 2>/dev/null | sed 's/environ$/exe/' | xargs -r readlink | grep headstartd || :
}

# Nobody can remove what the children of a killed daemon still have open. They end by themselves.
await_no_daemon() {
	for try in $(seq 600); do
		[ -n "$(daemons_left)" ] || return 0
		sleep 0.1
	done
	fail "processes are left: $(daemons_left)"
}

# Sets $duration to the milliseconds from the start of a noted program to its plan. Another start may be traced instead.
measure_learning() {
	for try in $(seq 10); do
		cp "$tmp/noted" "$HEADSTART_STATE/learn/known"
		start_daemon
		began=$(date +%s%N)
		start_cold
		for look in $(seq 200); do
			[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || break
			sleep 0.05
		done
		duration=$((($(date +%s%N) - began) / 1000000))
		wait "$waiter" || fail "the program fails"
		stop_daemon
		[ "$look" = 200 ] || return 0
	done
	fail "it is not learnt: $(cat "$tmp/daemon-log")"
}

# Each round begins with a program that is noted and not learnt. Half of the kills are spread over the time that learning takes, the others
# over its end, when files are written.
case_killed_at_random_moments() {
	kills=${HEADSTART_TEST_KILLS:-10} seed=${HEADSTART_TEST_SEED:-$(date +%s)}
	echo "seed $seed, $kills kills"
	start_daemon
	record_witness
	waiter_is_noted
	stop_daemon
	grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" || fail "the program is not noted: the test looks at the wrong thing"
	cp "$HEADSTART_STATE/learn/known" "$tmp/noted"
	measure_learning
	echo "learning takes $duration ms"
	killed=
	learnt=0
	for moment in $(awk -v seed="$seed" -v n="$kills" -v most="$duration" 'BEGIN { srand(seed); for (i = 0; i < n; i++) print int(i % 2 ? rand() * most : (0.8 + rand() / 2) * most) }'); do
		rm -f "$HEADSTART_STATE"/waiter-*
		cp "$tmp/noted" "$HEADSTART_STATE/learn/known"
		start_daemon
		start_cold
		sleep "$(awk "BEGIN { print $moment / 1000 }")" # a random moment
		killed="$killed $daemon_pid"
		stop_daemon KILL
		wait "$waiter" || fail "the program fails: killed after $moment ms"
		store_is_good
		witness_stays
		grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" || fail "what was noted is lost: killed after $moment ms"
		[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || learnt=$((learnt + 1))
	done
	echo "learnt in $learnt of $kills rounds"
	# A daemon that did not come to note what it has kept: the next one finds it.
	[ ! -e "$(echo "$HEADSTART_STATE"/waiter-*.plan)" ] || {
		cp "$tmp/noted" "$HEADSTART_STATE/learn/known"
		adopted=1
	}
	await_no_daemon
	start_daemon
	[ -z "${adopted-}" ] || until_note learnt -ge 1
	for pid in $killed; do
		[ -z "$(instances_of "$pid")" ] || fail "instances of $pid are left: $(instances_of "$pid")"
		! grep -qsx headstartd "/proc/$pid/comm" || fail "$pid is left" # others may have got that number
	done
	store_is_good
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	[ -z "$(daemons_left)" ] || fail "processes are left: $(daemons_left)"
}

case_disk_of_the_store_is_full() {
	rm -rf "$HEADSTART_STATE"
	mkdir "$HEADSTART_STATE"
	mount -t tmpfs -o size=64k,mode=755 tmpfs "$HEADSTART_STATE"
	start_daemon
	waiter_is_noted
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
