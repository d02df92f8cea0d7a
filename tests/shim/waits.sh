#!/bin/sh
# Under the audit shim the program goes on beside its prefetcher, but waits for it with a plan in physical order. Under the
# preload shim another process waits: tests/preload/waits.sh.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
make_plan
mkfifo "$tmp/begun" "$tmp/go"
exec 8<>"$tmp/begun" # so that lines in the FIFO stay until they are read
printf '#!/bin/sh\nread line <"%s"\n' "$tmp/go" >"$tmp/stuck"
chmod +x "$tmp/stuck"
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/slow" # the shim knows a prefetcher by its executable, so this is no script

# The program goes on: this prefetcher ends only after the program.
goes_on() { until_undisturbed went_on "$@"; }
went_on() {
	make_cold
	rm -f "$log"
	shimmed HEADSTART_PREFETCH="$tmp/stuck" "$@" "$look" >"$tmp/seen" || true
	grep -q plan=started "$log" || fail "$*: no prefetcher was started"
	echo >"$tmp/go"
	grep -q '^sum' "$tmp/seen" || fail "$*: the program did not run beside its prefetcher"
}

case_program_goes_on_beside_its_prefetcher() {
	goes_on HEADSTART_WAIT=1
}

case_program_goes_on_if_it_is_told_to() {
	ORDER=physical make_plan
	goes_on HEADSTART_WAIT=0
}

# A plan for a disk of which nothing is known but what a hypervisor says.
case_program_goes_on_if_its_plan_says_so() {
	ORDER=physical WAIT_MS=0 make_plan
	goes_on HEADSTART_WAIT=1
}

# With a plan in physical order the program waits until the prefetcher ends, however that happens. It does not wait for one that gets no
# processor for ten milliseconds before it has executed its program.
waits() {
	make_cold
	rm -f "$tmp/order" "$log"
	{
		shimmed HEADSTART_PREFETCH="$tmp/slow" "$look" >>"$tmp/order" 8<&- || true
		grep -q plan=started "$log" || echo none >&8
	} &
	read -r line <&8
	[ "$line" != none ] || fail "no prefetcher was started"
	echo >"$tmp/go"
	wait $! || true
	head -1 "$tmp/order" | grep -q '^prefetched ' || fail "the program did not wait: $(head -1 "$tmp/order")"
	grep -q '^sum' "$tmp/order" || fail "the program did not run"
}

case_program_waits_with_a_plan_in_physical_order() {
	ORDER=physical make_plan
	until_undisturbed waits
}

# So the whole plan is resident when the program begins.
case_whole_plan_is_there_when_the_program_begins() {
	ORDER=physical make_plan
	carried_out() {
		make_cold
		shimmed HEADSTART_PREFETCH="$prefetch" "$look" >"$tmp/seen" || true
		"$page" came $libraries >"$tmp/out" || fail "the plan was not carried out"
	}
	until_undisturbed carried_out
}

case_program_runs_without_a_prefetcher() {
	ORDER=physical make_plan
	for dead in /nonexistent /bin/false; do
		make_cold
		shimmed HEADSTART_PREFETCH="$dead" "$look" >"$tmp/seen" || true
		grep -q '^sum' "$tmp/seen" || fail "the program did not run without a prefetcher"
	done
}

run_cases
