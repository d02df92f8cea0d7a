#!/bin/sh
# A build without liburing: the launcher and the prefetcher are built, and the ladder begins below io_uring.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
for tool in meson ninja; do
	command -v $tool >/dev/null || skip "no $tool"
done

# liburing.h may be installed: then it declares nothing, because its guard is defined.
meson setup "$tmp/build" "$HEADSTART_TEST_SOURCE" -Dio-uring=disabled -Dtests=auto -Dc_args=-DLIB_URING_H >"$tmp/log" 2>&1 ||
	fail "meson setup: $(tail "$tmp/log")"
ninja -C "$tmp/build" tools/headstart tools/headstart-prefetch >"$tmp/log" 2>&1 || fail "ninja: $(tail "$tmp/log")"
prefetch=$tmp/build/tools/headstart-prefetch
make_files 4
"$plan_of" touch "$disk"/f* >"$tmp/touch.plan"
"$plan_of" physical "$disk"/f* >"$tmp/physical.plan"

case_bytes_arrive_without_a_ring() {
	for plan in "$tmp/touch.plan" "$tmp/physical.plan"; do
		arrives nowait "$prefetch" --verify --json "$plan"
		arrives nowait "$prefetch" --verify --json --engine uring "$plan"
		arrives read "$prefetch" --verify --json --engine read "$plan"
	done
}

case_no_ring_is_made() {
	can_trace || skip "no strace, or it cannot trace here"
	strace -f -o "$tmp/trace" -e trace=io_uring_setup,exit_group "$prefetch" "$tmp/touch.plan"
	grep -q exit_group "$tmp/trace" || fail "nothing was traced"
	! grep io_uring_setup "$tmp/trace" || fail "a ring is made"
}

case_launcher_runs_a_program() {
	"$tmp/build/tools/headstart" run --plan "$tmp/touch.plan" sh -c 'exit 5' && fail "the program's exit status is lost"
	[ $? = 5 ] || fail "the program did not run"
}

run_cases
