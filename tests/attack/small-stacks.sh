#!/bin/sh
# A thread with a stack of 16 KiB may start programs, planned ones too.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
may_be_root
plan_of_root
thread=$attack/small-thread
env -i PATH="$PATH" "$thread" posix_spawn /bin/true || skip "no thread can have such a stack here"

ran_true() { ends_with 0; nothing_started; }

case_program_with_a_plan() {
	for way in posix_spawn posix_spawnp vfork-execv; do
		what=$way
		on_every_way target_ran_planned "$thread" $way "$target"
	done
}

case_program_without_plan() {
	for way in posix_spawn posix_spawnp vfork-execv; do
		what=$way
		on_every_way ran_true "$thread" $way /bin/true
	done
}

run_cases
