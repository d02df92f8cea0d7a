#!/bin/sh
# A seccomp filter belongs to a thread: the shim must ask for the filter of the thread that calls it.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
filter=$attack/thread-filter

case_thread_without_filter_starts_the_prefetcher() {
	for way in posix_spawn vfork-execv; do
		what="control: $way"
		forced "$filter" none $way "$target"
		ends_with 7
		was_run own
	done
}

case_thread_with_filter_is_not_killed() {
	for way in posix_spawn vfork-execv; do
		what=$way
		forced "$filter" deadly $way "$target"
		ends_with 7
		was_not_run own
	done
}

case_thread_with_filter_is_not_killed_for_a_relative_path() {
	cd "$place"
	for way in posix_spawn vfork-execv; do
		what=$way
		forced "$filter" deadly $way ./target
		ends_with 7
	done
}

case_thread_with_filter_is_not_killed_in_whole_mode() {
	unfiltered() {
		what="control: whole mode"
		forced HEADSTART=whole "$filter" none dlopen "$place/libthree.so"
		ends_with 7
		log_says library=started
		was_run own
	}
	until_undisturbed unfiltered
	what="whole mode"
	forced HEADSTART=whole "$filter" deadly dlopen "$place/libthree.so"
	ends_with 7
	log_lacks library=
	was_not_run own
}

# Where the shim cannot ask, it treats the thread as one that has a filter.
case_thread_without_proc() {
	needs_mounts
	printf 'mount -t tmpfs none /proc && exec "$@"\n' >"$tmp/without-proc"
	for mode in none deadly; do
		what="no /proc, filter $mode"
		as="unshare --mount --propagation private sh $tmp/without-proc"
		forced "$filter" $mode posix_spawn "$target"
		ends_with 7
		was_not_run own
	done
}

case_system_wide() {
	has_system
	plan_of_root
	systemwide "$filter" none posix_spawn "$target"
	was_run installed
	systemwide "$filter" deadly posix_spawn "$target"
	ends_with 7
	was_not_run installed
}

run_cases
