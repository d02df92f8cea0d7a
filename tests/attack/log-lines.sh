#!/bin/sh
# One line of the log is one start. The name of a file must not be able to forge another line.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
newline='
'

# The owner of a program chooses its path, newlines included.
case_program_name_forges_no_line_of_the_log() {
	name="x${newline}preload program=forged pid=1 plan=started"
	cp "$target" "$place/$name"
	"$built/plan-for" "$state" "$place/$name" $libraries >"$tmp/out"
	forced "$launch" execv "$place/$name"
	ends_with 7
	was_run own
	! grep -q '^preload program=forged' "$log" || fail "a line of the log is forged: $(cat "$log")"
	[ "$(wc -l <"$log")" = 1 ] || fail "not one line: $(cat "$log")"
	rm "$place/$name"
}

# The prefetcher writes a line of its own, with the path of the program in its plan.
case_program_name_in_a_plan_forges_no_line_of_the_log() {
	name="$place/x${newline}prefetch program=forged engine=uring"
	cp "$target" "$name"
	"$HEADSTART_TEST_BUILD/tests/prefetch/plan-of" touch "$name" >"$tmp/plan"
	log=$tmp/log # root writes no log where others could put another
	HEADSTART_LOG=$log "$prefetch" "$tmp/plan" || fail "the plan is not carried out"
	grep -q '^prefetch program=' "$log" || fail "nothing is logged"
	! grep -q '^prefetch program=forged' "$log" || fail "a line of the log is forged: $(cat "$log")"
	[ "$(wc -l <"$log")" = 1 ] || fail "not one line: $(cat "$log")"
	rm "$name"
}

run_cases
