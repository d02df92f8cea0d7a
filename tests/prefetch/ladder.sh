#!/bin/sh
# Every engine, with all better ones refused: the bytes arrive all the same.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
make_files 8
"$plan_of" touch "$disk"/f* >"$tmp/touch.plan"
"$plan_of" physical "$disk"/f* >"$tmp/physical.plan"
"$refuse" mincore ENOSYS true || skip "seccomp filters cannot be set here"

case_bytes_arrive_whatever_is_refused() {
	for plan in "$tmp/touch.plan" "$tmp/physical.plan"; do
		for engine in nowait fadvise read; do
			arrives $engine "$prefetch" --verify --json --engine $engine "$plan"
		done
		for error in ENOSYS EPERM; do
			arrives nowait "$refuse" io_uring_setup $error "$prefetch" --verify --json "$plan"
			arrives nowait "$refuse" io_uring_enter $error "$prefetch" --verify --json "$plan"
			arrives nowait "$refuse" io_uring_register $error "$prefetch" --verify --json "$plan"
			arrives nowait "$refuse" io_uring_setup,preadv2 $error "$prefetch" --verify --json "$plan"
			arrives nowait "$refuse" io_uring_setup,preadv2,fadvise64 $error "$prefetch" --verify --json "$plan"
		done
		arrives nowait "$refuse" preadv2 EOPNOTSUPP "$prefetch" --verify --json --engine nowait "$plan"
		arrives fadvise "$refuse" fadvise64 EPERM "$prefetch" --verify --json --engine fadvise "$plan"
	done
}

case_ring_brings_every_byte() {
	"$prefetch" --json "$tmp/touch.plan" | grep -q '"engine": "uring"' || skip "io_uring is refused here"
	for plan in "$tmp/touch.plan" "$tmp/physical.plan"; do
		arrives uring "$prefetch" --verify --json "$plan"
		arrives uring "$prefetch" --verify --json --idle "$plan"
	done
}

run_cases
