#!/bin/sh
# SPDX-License-Identifier: MIT
# While the machine is quiet, headstartd makes stale plans anew and warms programs. What the kernel says of the machine is the test's
# own: a busy machine would never be quiet.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
note_tries=2400 # it looks every 30 seconds, and waits for ten quiet ones
make_disk
make_waiter "$disk"
: >"$tmp/go"

pressure() { # RESOURCE PERCENT
	echo "some avg10=$2.00 avg60=0.00 avg300=0.00 total=0" >"$tmp/kernel-$1"
}

# The kernel says from now on what the test writes into $tmp/kernel-*.
[ -e /proc/pressure/memory ] || skip "this kernel reports no pressure"
for resource in io cpu memory; do
	pressure "$resource" 0
	mount --bind "$tmp/kernel-$resource" "/proc/pressure/$resource"
done
echo "   8       0 sda 1 2 3 4 5 6 7 8 0 1000 9 0 0 0 0 1 2" >"$tmp/kernel-disks"
mount --bind "$tmp/kernel-disks" /proc/diskstats
# So do disks that sleep, and batteries.
mkdir "$tmp/nothing"
for folder in /sys/block /sys/class/power_supply; do
	[ ! -e "$folder" ] || mount --bind "$tmp/nothing" "$folder"
done

# planned NAME…: the plan of each program, a copy of the waiter, reads the waiter's data, or $data.
planned() {
	data=${data:-$disk/data}
	for name; do
		cp "$disk/waiter" "$disk/$name"
		printf 'program %s\nfile regular %s\nrange 0 4 0 1\nfile regular %s\nrange 0 900 4 1\n' "$disk/$name" "$disk/$name" "$data" |
			"$make_profile" "$tmp/profile"
		env -u HEADSTART_CONFIG "$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
		plan=$(echo "$HEADSTART_STATE/$name"-*.plan)
		cp "$tmp/profile" "${plan%.plan}.profile"
	done
	sync -f "$disk"
}

# until_gone FILE
until_gone() {
	for try in $(seq 1200); do
		[ -e "$1" ] || return 0
		kill -0 "$daemon_pid" || fail "the daemon has ended: $(cat "$tmp/daemon-log")"
		sleep 0.05
	done
	fail "'$1' stays: $(cat "$tmp/daemon-log" /run/headstart/daemon)"
}

# As after the upgrade of a package: the files have changed, and the plans are marked. One of them can no longer be made.
case_stale_plans_are_made_anew() {
	planned one two
	for name in one two; do echo more >>"$disk/$name"; done
	sync -f "$disk"
	echo nonsense >"$HEADSTART_STATE/damaged.plan"
	: >"$HEADSTART_STATE/damaged.plan.stale"
	"$tool" plan --mark-stale >"$tmp/out" || fail "mark: $(cat "$tmp/out")"
	ls "$HEADSTART_STATE"/one-*.plan.stale "$HEADSTART_STATE"/two-*.plan.stale >"$tmp/marks" || fail "no marks: the test looks at the wrong thing"
	cksum "$HEADSTART_STATE"/*.plan >"$tmp/before"
	start_daemon
	for mark in $(cat "$tmp/marks"); do
		until_gone "$mark"
		plan=${mark%.stale}
		! grep -qF "$(cksum "$plan")" "$tmp/before" || fail "'$plan' is the old one"
		"$tool" show "$plan" >"$tmp/out" || fail "the new plan is not good: $(cat "$tmp/out")"
	done
	until_note refreshed -ge 2
	for name in one two; do
		[ "$(grep -c "made the plan of '$disk/$name' anew: its files had changed" "$tmp/daemon-log")" = 1 ] || fail "it says: $(cat "$tmp/daemon-log")"
	done
	echo nonsense | cmp - "$HEADSTART_STATE/damaged.plan" || fail "what was damaged has changed"
	"$tool" status >"$tmp/out"
	grep -q '^ *ahead of starts: 2 stale plans made anew$' "$tmp/out" || fail "status: $(cat "$tmp/out")"
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	rm -r "$HEADSTART_STATE"
}

# After an upgrade of headstart that has changed the format of plans: nobody marks them, and nobody can read them.
case_plans_of_an_older_headstart_are_made_anew() {
	planned one two
	for plan in "$HEADSTART_STATE"/*.plan; do
		poke "$plan" 8 '\001'
		! "$tool" show "$plan" >"$tmp/out" 2>&1 || fail "an older plan is read: the test looks at the wrong thing"
	done
	start_daemon
	for plan in "$HEADSTART_STATE"/*.plan; do
		for try in $(seq 2400); do
			! "$tool" show "$plan" >"$tmp/out" 2>&1 || break
			kill -0 "$daemon_pid" || fail "the daemon has ended: $(cat "$tmp/daemon-log")"
			sleep 0.05
		done
		until_gone "$plan.stale"
		"$tool" show "$plan" >"$tmp/out" 2>&1 || fail "the plan is not made anew: $(cat "$tmp/out" "$tmp/daemon-log")"
	done
	until_note refreshed -ge 2
	for name in one two; do
		[ "$(grep -c "made the plan of '$disk/$name' anew: an older headstart had made it" "$tmp/daemon-log")" = 1 ] || fail "it says: $(cat "$tmp/daemon-log")"
	done
	stop_daemon
	rm -r "$HEADSTART_STATE"
}

# As by a disk that is wearing out. A start that finds it so says so, and the profile is still there.
case_damaged_plan_is_made_anew() {
	planned one
	plan=$(echo "$HEADSTART_STATE"/one-*.plan)
	truncate --size=-1 "$plan"
	! "$tool" show "$plan" >"$tmp/out" 2>&1 || fail "it is not damaged: the test looks at the wrong thing"
	start_daemon
	until [ -e "$plan.stale" ]; do
		kill -0 "$daemon_pid" || fail "the daemon has ended: $(cat "$tmp/daemon-log")"
		"$disk/one"
		for try in $(seq 100); do # as few starts as can be: one that is watched makes the plan anew, too
			[ ! -e "$plan.stale" ] || break
			sleep 0.05
		done
	done
	until_gone "$plan.stale"
	"$tool" show "$plan" >"$tmp/out" 2>&1 || fail "the plan is not made anew: $(cat "$tmp/out" "$tmp/daemon-log")"
	until_note refreshed -ge 1
	grep -q "made the plan of '$disk/one' anew: it was damaged" "$tmp/daemon-log" || fail "it says: $(cat "$tmp/daemon-log")"
	stop_daemon
	rm -r "$HEADSTART_STATE"
}

# In how many hours of the day the daemon has counted starts of that program.
hours_of() { # PROGRAM
	tr '\0' '\n' <"$HEADSTART_STATE/learn/habits" | awk -v path="$disk/$1" '$NF == path { for (i = NF - 24; i < NF; i++) n += $i > 0 } END { print n + 0 }'
}

# The daemon looks at the clock and at the program when it hears of a start, which may be late on a busy machine: the programs stay
# meanwhile, and the clock goes on when the daemon has counted all of them. The settings are those of a later day.
started_in_hour() ( # HOUR PROGRAM…
	unset HEADSTART_CONFIG
	hour=$1
	shift
	for try in $(seq 20); do
		echo $((hour * 3600)) >"$tmp/clock"
		start_daemon
		before=$(note execs)
		: >"$tmp/go.stay"
		started=
		for name; do
			"$disk/$name" &
			started="$started $!"
		done
		until_note execs -ge $((before + $#))
		rm "$tmp/go.stay"
		wait $started
		stop_daemon
		for name; do
			[ "$(hours_of "$name")" -gt "$hour" ] || continue 2
		done
		return 0
	done
	fail "the daemon counts no start of '$name': $(cat "$tmp/daemon-log")"
)

# Makes a daemon that has just found memory short, and knows that these programs are started often.
memory_is_short() { # PROGRAM…
	pressure memory 50
	for hour in 0 1; do started_in_hour "$hour" "$@"; done
	trap stop_daemon EXIT
	start_daemon
	until_note short_of_memory -eq 1
}

# Then memory no longer is, and the daemon has a reason to warm them until it has done so.
warming() {
	rm -rf "$HEADSTART_STATE"
	planned one two seldom denied
	pressure memory 50
	started_in_hour 0 seldom
	memory_is_short one two denied
	"$page" out "$disk/one" "$disk/two" "$disk/seldom" "$disk/denied" "$disk/data" || fail "pages stay in the page cache"
	pressure memory 0
	until_note warmings -ge 1
}

with_a_clock() {
	! grep -q __asan_init "$daemon" || skip "a sanitized daemon lets nothing be loaded before it"
	cc -shared -fPIC -DCLOCK="\"$tmp/clock\"" -o "$tmp/clock.so" "$HEADSTART_TEST_SOURCE/tests/daemon/clock.c"
	confined="$confined env LD_PRELOAD=$tmp/clock.so"
	[ "$(sed -n 's/^MemFree: *\([0-9]*\) kB/\1/p' /proc/meminfo)" -ge 200000 ] || skip "little memory is free"
}

likely_programs_are_warm() {
	warming
	[ "$(note warmed)" -ge 1 ] || fail "nothing is warmed: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	[ "$("$page" came "$disk/data")" -ge $((900 * 4096)) ] || fail "the data is not in memory: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	for name in seldom denied; do
		[ "$("$page" came "$disk/$name")" = 0 ] || fail "'$name' is warmed"
	done
	[ "$(grep -c 'warmed . programs*, .*, which are likely to be started now: memory was short$' "$tmp/daemon-log")" = 1 ] || fail "it says: $(cat "$tmp/daemon-log")"
	"$tool" status >"$tmp/out"
	grep -q '^ *ahead of starts: . programs* warmed (.*), last at 20' "$tmp/out" || fail "status: $(cat "$tmp/out")"
	[ "$(stat -c %a "$HEADSTART_STATE/learn/habits")" = 600 ] || fail "mode $(stat -c %a "$HEADSTART_STATE/learn/habits")"
	cp "$tmp/daemon-log" "$tmp/log-of-warming"
}
case_likely_programs_are_warmed() {
	with_a_clock
	printf '%sdeny = denied\n' "$only_ours" >"$tmp/settings"
	export HEADSTART_CONFIG="$tmp/settings"
	until_undisturbed likely_programs_are_warm
	# What was warmed is said to root, and stays known.
	warmed=$(sed -n "s/.*warmed \(.\) program.*/\1/p" "$tmp/log-of-warming")
	"$tool" why "$disk/one" >"$tmp/out"
	grep -Eq '^habit    number [12] of the 3 programs that are likely to be started at this hour' "$tmp/out" || fail "why: $(cat "$tmp/out")"
	"$tool" why "$disk/seldom" >"$tmp/out"
	grep -q '^habit    none' "$tmp/out" || fail "why: $(cat "$tmp/out")"
	"$tool" list >"$tmp/out"
	[ "$(grep -c '^  warmed 20.* in case it is started$' "$tmp/out")" = "$warmed" ] || fail "list: $(cat "$tmp/out")"
}

setting_is_obeyed() {
	warming
	[ "$(note warmed)" = 0 ] || fail "it warms: $(cat "$tmp/daemon-log")"
	[ "$("$page" came "$disk/data")" = 0 ] || fail "it warms all the same"
}
case_a_setting_switches_warming_off() {
	with_a_clock
	printf '%s[daemon]\nwarm = no\n' "$only_ours" >"$tmp/settings"
	export HEADSTART_CONFIG="$tmp/settings"
	until_undisturbed setting_is_obeyed
}

# Prints the child that warms programs, by its scheduling policy (proc(5): field 41 of stat is 5 for SCHED_IDLE).
warmer() {
	for pid in $(cat "/proc/$daemon_pid/task/$daemon_pid/children"); do
		policy=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 39)
		[ "$policy" != 5 ] || echo "$pid"
	done
}

# The child looks at the disks for a second before each program: so many keep it busy while something happens. `seldom` is planned
# and is not warmed.
warming_takes_long() {
	rm -rf "$HEADSTART_STATE"
	many=$(seq 30)
	planned $many
	data=$disk/data-of-its-own # which it does not read by itself before the daemon looks
	cp "$disk/data" "$data"
	planned seldom
	data=
	memory_is_short $many
	for name in $many seldom; do "$page" out "$disk/$name" || fail "pages stay in the page cache"; done
	"$page" out "$disk/data" "$disk/data-of-its-own" || fail "pages stay in the page cache"
	pressure memory 0
	for try in $(seq 2400); do
		child=$(warmer)
		[ -z "$child" ] || break
		sleep 0.05
	done
	[ -n "$child" ] || fail "nothing is warmed: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}

warming_ends_for_a_start() {
	warming_takes_long
	[ "$(ionice -p "$child")" = idle ] || fail "it reads like others: $(ionice -p "$child")"
	"$disk/seldom"
	for try in $(seq 1200); do
		[ -e "/proc/$child" ] || break
		sleep 0.05
	done
	[ "$try" != 1200 ] || fail "it goes on: $(cat "$tmp/daemon-log")"
	[ "$(note warmings)" = 0 ] || fail "it has ended by itself"
	grep -q "'$disk/seldom' starts cold" "$tmp/daemon-log" || fail "the start was not cold: $(cat "$tmp/daemon-log")"
}
case_warming_ends_when_a_program_starts_cold() {
	with_a_clock
	have ionice || return 0
	until_undisturbed warming_ends_for_a_start
}

# The test executes nothing meanwhile. Where nobody else does either, nothing wakes the daemon.
warming_ends_for_a_pause() {
	warming_takes_long
	"$tool" pause
	/usr/bin/python3 -c '
import os, sys, time
for look in range(1200):
    if not os.path.exists("/proc/" + sys.argv[1]):
        sys.exit(0)
    time.sleep(0.05)
sys.exit(1)' "$child" || fail "it goes on: $(cat "$tmp/daemon-log")"
	[ "$(note warmings)" = 0 ] || fail "it has ended by itself"
}
case_warming_ends_when_the_daemon_is_paused() {
	with_a_clock
	have /usr/bin/python3 || return 0
	until_undisturbed warming_ends_for_a_pause
}

case_damaged_habits_begin_anew() {
	mkdir -p "$HEADSTART_STATE/learn"
	echo nonsense >"$HEADSTART_STATE/learn/habits"
	start_daemon
	grep -q "habits' is damaged: habits are learnt anew" "$tmp/daemon-log" || fail "it says: $(cat "$tmp/daemon-log")"
	refuses 1 "is damaged: the daemon begins it anew" "$tool" why true
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	printf 'headstart-habits 9 0\nwho knows\n' >"$HEADSTART_STATE/learn/habits"
	cp "$HEADSTART_STATE/learn/habits" "$tmp/newer"
	start_daemon
	grep -q "was written by a newer headstart: nothing is done ahead" "$tmp/daemon-log" || fail "it says: $(cat "$tmp/daemon-log")"
	stop_daemon
	cmp "$tmp/newer" "$HEADSTART_STATE/learn/habits" || fail "the habits were changed"
}

run_cases
