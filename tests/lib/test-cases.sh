#!/bin/sh
# run_cases runs every case, whatever the outcome of those before, and names those that failed.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"

# Runs a test that consists of the given lines, with the arguments "one" and "two words".
ends_with() { # STATUS LINE…
	want=$1 status=0
	shift
	printf '%s\n' '. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"' "$@" 'run_cases "$@"' >"$tmp/test.sh"
	sh "$tmp/test.sh" one "two words" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || fail "exit status $status, not $want: $(cat "$tmp/out" "$tmp/err")"
}
says() { printf '%s\n' "$@" | diff - "$tmp/out" || fail "it says something else"; }
complains() { printf '%s\n' "$@" | diff - "$tmp/err" || fail "it complains of something else"; }

case_every_case_is_run_in_order_with_the_arguments() {
	ends_with 0 'case_second() { echo "$1, $2"; }' 'helper() { fail "never"; }' 'case_first() { echo here; }'
	says "one, two words" "ok: case_second" here "ok: case_first"
	[ ! -s "$tmp/err" ] || fail "it complains: $(cat "$tmp/err")"
}
case_failed_case_is_named_and_the_others_run() {
	ends_with 1 'case_fails() { fail "for a reason"; }' 'case_stops() {' false 'echo never' '}' \
		'case_tells() { fail "$what: for another"; }' 'case_passes() { :; }'
	says "failed: case_fails" "failed: case_stops" "failed: case_tells" "ok: case_passes"
	complains "FAIL: case_fails: for a reason" "FAIL: case_tells: for another" "FAIL: these cases failed: case_fails case_stops case_tells"
}
case_skipped_case_is_untried() {
	ends_with 0 'case_skips() { skip "no disk"; }' 'case_passes() { :; }' 'case_skips_silently() { exit 77; }'
	says "partial: case_skips: no disk" "ok: case_passes" "partial: case_skips_silently"
}
case_test_is_skipped_if_all_its_cases_are() {
	ends_with 77 'case_skips() { skip "no disk"; }'
	says "partial: case_skips: no disk" "SKIP: no case could be tried here"
}
case_test_without_cases_fails() {
	ends_with 1 'helper() { :; }'
	complains "FAIL: no cases"
}
case_variables_and_folder_are_the_case_s_own() {
	ends_with 0 'value=before' 'case_one() {' 'value=after' 'cd /' '}' 'case_two() { [ "$value" = before ] && [ "$PWD" != / ]; }'
}
case_every_case_is_cleaned_up_after() {
	ends_with 1 'at_case_exit() { echo "after $what"; }' 'case_one() { :; }' 'case_two() { fail "for a reason"; }'
	says "after case_one" "ok: case_one" "after case_two" "failed: case_two"
}
cd "$tmp"
run_cases
