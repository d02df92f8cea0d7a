#!/bin/sh
# How tests/run reports results: which tests were skipped, are partial or were repeated, the last line, and what CI rejects.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v python3 >/dev/null || skip "no python3"
mkdir -p "$tmp/tests/lib"
cp "$HEADSTART_TEST_SOURCE/tests/lib/count" "$tmp/tests/lib"
count=$tmp/tests/lib/count
cat >"$tmp/log" <<'END'
{"name": "headstart:unit / whole", "result": "OK", "stdout": "[==========] Running 1 test(s).\n[ RUN      ] one\n[       OK ] one\n"}
{"name": "headstart:behaviour / shell", "result": "OK", "stdout": "partial: no gdb\nok\ntry 1 of 'one' failed, disturbed (memory was reclaimed): \npartial: no gdb\npartial: 3 of 4\n"}
{"name": "headstart:unit / cases", "result": "OK", "stdout": "[ RUN      ] one\nSKIP: not root\n[  SKIPPED ] one\n[ RUN      ] two\n[  SKIPPED ] two\n[==========] 2 test(s) run.\n[  SKIPPED ] 2 test(s), listed below:\n[  SKIPPED ] one\n"}
{"name": "behaviour - headstart:skips", "result": "SKIP", "stdout": "so far\nSKIP: no disk\n"}
{"name": "headstart:behaviour / fails", "result": "FAIL", "stdout": "partial: no gdb\ntry 1 of 'one' failed, disturbed (memory was reclaimed): no\ntry 2 of 'one' failed, disturbed (memory was reclaimed): no\nfailed: case_one\nok: case_two\nfailed: case_three\n"}
END
unset CI
printf '# comment\n\nshell: no gdb\nshell: * of 4\ncases: *\n' >"$tmp/tests/expected-skips"
"$count" "$tmp/log" "$tmp/results" >"$tmp/added"

total() { # STATUS LINE…: the total says these lines and exits so
	status=0
	"$count" --total "$tmp/results" >"$tmp/out" || status=$?
	[ "$status" = "$1" ] || fail "exit status $status, not $1: $(cat "$tmp/out")"
	shift
	printf '%s\n' "$@" | diff - "$tmp/out" || fail "another total"
}

case_skipped_and_partial_tests_are_named() {
	diff - "$tmp/added" <<'END' || fail "it names others"
partial: shell: no gdb
partial: shell: 3 of 4
partial: cases: one: not root
partial: cases: two
skipped: skips: no disk
END
}

case_failed_cases_are_named() {
	total 1 "failed: fails: case_one, case_three" \
		"repeated: shell, 1 try" "repeated: fails, 2 tries" "3 passed, 1 failed, 1 skipped"
	export CI=true
	total 1 "failed: fails: case_one, case_three" "not in tests/expected-skips: skips: no disk" \
		"repeated: shell, 1 try" "repeated: fails, 2 tries" "3 passed, 2 failed, 0 skipped"
}

case_skips_are_no_failures() {
	sed -i '/fails/d' "$tmp/results"
	total 0 "repeated: shell, 1 try" "3 passed, 0 failed, 1 skipped"
}

case_unexpected_skips_are_failures_in_ci() {
	sed -i '/fails/d' "$tmp/results"
	export CI=true
	total 1 "not in tests/expected-skips: skips: no disk" "repeated: shell, 1 try" "3 passed, 1 failed, 0 skipped"
	printf 'skips: no disk\nshell: no gdb\ncases: one*\n' >"$tmp/tests/expected-skips"
	total 1 "not in tests/expected-skips: shell: 3 of 4" "not in tests/expected-skips: cases: two" \
		"repeated: shell, 1 try" "1 passed, 2 failed, 1 skipped"
}

run_cases
