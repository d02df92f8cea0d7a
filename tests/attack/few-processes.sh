#!/bin/sh
# No fork of a program may fail because a prefetcher has taken its place: where few processes are left, none is started. The
# program below needs every process that its limit allows.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
plan_of_root
few=8      # the program, one that it spawns, and six more
plenty=200
many=2000
helpers=$((few - 2))

# The prefetcher itself needs processes, threads, and workers of the ring.
cp "$prefetch" "$place"
real=HEADSTART_PREFETCH=$place/headstart-prefetch

started_none() {
	ends_with 7
	log_lacks =started
}
stays_away() {
	started_none
	"$page" probed $libraries >"$tmp/came" || fail "$what: the plan was carried out: $(cat "$tmp/came")"
}
# The kernel may have dropped again what the prefetcher has read.
comes() {
	until_undisturbed came "$@"
}
came() {
	forced "$real" "$@"
	ends_with 7
	log_says plan=started
	"$page" came $libraries >"$tmp/came" || fail "$what: the plan was not carried out"
}
pids_cgroup() {
	cgroup2 session-x.scope && [ -e "$cgroup/pids.max" ] && return 0
	cgroup1 pids session-x.scope || skip "no cgroup with a limit on processes can be made here"
}

case_cgroup_with_few_processes_left() {
	pids_cgroup
	echo $few >"$cgroup/pids.max"
	as=$(in_cgroups "$cgroup")
	for attempt in 1 2 3; do
		forced "$real" "$attack/forks" $helpers "$target"
		stays_away
	done
	forced "$real" "$launch" execv "$target"
	stays_away
}

case_folder_above_limits_the_cgroup() {
	pids_cgroup
	mkdir "$cgroup/inner"
	echo $few >"$cgroup/pids.max"
	as=$(in_cgroups "$cgroup/inner")
	forced "$real" "$attack/forks" $helpers "$target"
	stays_away
}

case_cgroup_with_many_processes_left() {
	pids_cgroup
	for limit in $plenty max; do
		echo $limit >"$cgroup/pids.max"
		as=$(in_cgroups "$cgroup")
		comes "$attack/forks" $helpers "$target"
	done
}

case_user_with_few_processes_left() {
	as="$as_victim prlimit --nproc=$few:$few"
	for attempt in 1 2 3; do
		forced "$real" "$attack/forks" $helpers "$target"
		stays_away
	done
}

case_user_with_many_processes_left() {
	# The kernel does not say how many processes a user has, so all of the machine's count. There may soon be more of these.
	all=$(sed 's,.*/\([0-9]*\) .*,\1,' /proc/loadavg)
	as="$as_victim prlimit --nproc=$((all + many))"
	comes "$attack/forks" $helpers "$target"
}

# The prefetcher goes by the limit that the program has, not by the one to which it could be raised.
case_prefetcher_keeps_the_limit() {
	all=$(sed 's,.*/\([0-9]*\) .*,\1,' /proc/loadavg)
	as="prlimit --nproc=$((all + many)):$((all + 10 * many))"
	forced "$launch" posix_spawn "$target"
	ends_with 7
	log_says plan=started
	was_run own
	grep -q " processes=$((all + many)) " "$ran/own" || fail "$what: another limit: $(cat "$ran/own")"
}

case_audit_shim() {
	"$built/plan-for" "$state" "$look" $libraries >"$tmp/out"
	loaded=LD_AUDIT=$audit
	as="$as_victim prlimit --nproc=$few:$few"
	forced "$real" "$look" "$place/libthree.so"
	started_none # the program has read some or all of the planned files itself
}

run_cases
