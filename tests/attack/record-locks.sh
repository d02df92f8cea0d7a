#!/bin/sh
# A process loses its record locks (fcntl(2)) on a file when it closes any descriptor of that file. So a hook must not probe files
# that a program may have locked. The plan here is made by headstart itself, which chooses the probes.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
locked=$attack/locked
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
data=$place/data
head -c 1000000 /dev/urandom >"$data"
libraries="$libraries $data" # which make_cold empties from memory, too

# By size alone the data would be the first choice, as the largest file of the plan.
"$make_profile" "$tmp/profile" <<END
program $target
file regular $place/libthree.so
range 0 4 0 1
file regular $data
range 0 200 4 1
END
rm -f "$state"/*
HEADSTART_STATE=$state "$tool" plan "$tmp/profile" >"$tmp/out" || fail "no plan: $(cat "$tmp/out")"
plan=$(find "$state" -name '*.plan')
"$tool" show --json "$plan" >"$tmp/shown"

case_lock_on_planned_data_is_kept() {
	chmod 666 "$data" # a write lock needs write permission; root's plan would not have named such a file
	grep -qF "\"$data\"" "$tmp/shown" || fail "the plan does not name the data: $(cat "$tmp/shown")"
	for way in posix_spawn vfork-execv; do
		for as in "" "$as_victim"; do
			what="$way, '$as'"
			forced "$locked" "$data" $way "$target"
			ends_with 7
			was_run own
		done
	done
}

# The controls: closing the file loses the lock, and so does a plan that has the data as a probe.
case_a_lost_lock_is_seen() {
	forced "$locked" "$data" reopen "$target"
	ends_with 98
	"$built/plan-for" "$state" "$target" "$data" >"$tmp/out"
	forced "$locked" "$data" posix_spawn "$target"
	ends_with 98
}

run_cases
