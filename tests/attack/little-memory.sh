#!/bin/sh
# In a cgroup of 48 MiB, a program whose plan is larger starts as it does without headstart: nothing in the cgroup is killed.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
limit=$((48 << 20))
cp "$prefetch" "$place/headstart-prefetch"
big=$place/big
head -c $((96 << 20)) /dev/zero >"$big"
"$built/plan-for" "$state" "$look" $libraries "$big" >"$tmp/out"

# The version of cgroups that has the memory controller.
memory_cgroup() {
	if cgroup2 session-x.scope && [ -e "$cgroup/memory.max" ]; then
		echo $limit >"$cgroup/memory.max"
		[ ! -e "$cgroup/memory.swap.max" ] || echo 0 >"$cgroup/memory.swap.max"
		events=$cgroup/memory.events
	else
		cgroup1 memory session-x.scope || skip "no cgroup with a limit on memory can be made here"
		echo $limit >"$cgroup/memory.limit_in_bytes" || skip "the limit on memory cannot be set here"
		events=$cgroup/memory.oom_control
	fi
	as=$(in_cgroups "$cgroup")
}
killed() { sed -n 's/^oom_kill //p' "$events"; }

case_program_starts_as_without() {
	memory_cgroup
	for shim_of in LD_PRELOAD="$preload" LD_AUDIT="$audit"; do
		loaded=$shim_of
		for prefetcher in "$own" "$place/headstart-prefetch"; do
			what="$shim_of, $prefetcher"
			"$page" out "$big" || fail "pages stay in the page cache"
			forced HEADSTART_PREFETCH="$prefetcher" "$look" "$place/libthree.so"
			ends_with 7
			grep -q '^sum: 7 8 9 10$' "$tmp/seen" || fail "$what: $(said)"
			log_says plan=started
			[ "$(killed)" = 0 ] || fail "$what: something was killed: $(cat "$events")"
		done
	done
}

run_cases
