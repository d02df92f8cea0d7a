#!/bin/sh
# When there is nothing to do, the shim makes a handful of system calls, and only cheap ones.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

can_trace || skip "no strace, or it cannot trace here"

# Prints the calls between the mapping of the shim and ld.so's next step.
calls() {
	strace -o "$tmp/trace" -E LD_AUDIT="$audit" -E HEADSTART_STATE="$state" -E "$1" /bin/true
	sed -n '/libheadstart-audit/,/ld.so.preload/p' "$tmp/trace" | sed -n '/^close/,$p' | sed '1d;$d' |
		grep -av '^\(mmap\|munmap\|brk\|mprotect\)' >"$tmp/calls" || true
}

case_switched_off_calls_nothing() {
	calls HEADSTART=off
	[ ! -s "$tmp/calls" ] || fail "off: $(cat "$tmp/calls")"
}

case_without_a_plan_it_opens_and_closes_alone() {
	for mode in plan whole auto; do
		calls HEADSTART="$mode"
		grep -q '/etc/headstart/disable' "$tmp/calls" || fail "$mode, no plan: it was not seen at work: $(cat "$tmp/trace")"
		! grep -avE '^(openat|close)\(' "$tmp/calls" || fail "$mode, no plan: other calls than open and close"
		[ "$(wc -l <"$tmp/calls")" -le 10 ] || fail "$mode, no plan: $(cat "$tmp/calls")"
		! grep -aE '^(clone|memfd_create|openat2|preadv2)' "$tmp/trace" || fail "$mode: something was done"
	done
}

run_cases
