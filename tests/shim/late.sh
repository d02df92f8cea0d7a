#!/bin/sh
# A page that came only while the shim or the launcher asked for it was not resident: such a start is cold.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
can_trace || skip "no strace, or it cannot trace here"

# All answers of this warm start come late.
make_plan
late() {
	rm -f "$log"
	make_warm
	gathering strace -qq -f -o "$tmp/trace" -e trace=preadv2 -e inject=preadv2:delay_exit=1000 "$@" >"$tmp/seen" || true
	grep -q 'preadv2(.*= 1 (DELAYED)' "$tmp/trace" || fail "nothing came late: $(cat "$tmp/trace")"
}

case_shim_takes_a_late_page_for_cold() {
	until_undisturbed late env -i LD_AUDIT="$audit" HEADSTART_STATE="$state" HEADSTART_LOG="$log" HEADSTART_PREFETCH=/bin/true "$look"
	grep -q 'plan=started' "$log" || fail "the shim took a page that came late for resident: $(cat "$log")"
}

case_launcher_takes_a_late_page_for_cold() {
	until_undisturbed late env HEADSTART_STATE="$state" HEADSTART_LOG="$log" "$headstart" run --wait done -- "$look"
	grep -q 'asked=[1-9]' "$log" || fail "run took a page that came late for resident: $(cat "$log")"
}

run_cases
