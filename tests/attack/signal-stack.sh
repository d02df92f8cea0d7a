#!/bin/sh
# A signal handler on a small alternate stack may start programs: nothing below that stack is touched.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
handler=$attack/signal-stack

untouched() { # STATUS FILE WAY…
	expected=$1 file=$2
	shift 2
	for way; do
		for below in guard canary; do
			what="$way of '$file', $below"
			env -i PATH="$PATH" "$handler" $below "$way" "$file" >"$tmp/seen" 2>&1 && status=0 || status=$?
			[ "$status" = "$expected" ] || skip "libc alone needs more than such a stack for $way"
			forced "$handler" $below "$way" "$file"
			ends_with "$expected"
		done
	done
}

case_program_without_plan() { untouched 0 /bin/true vfork-execv posix_spawn; }
case_program_with_a_plan() { untouched 7 "$target" vfork-execv posix_spawn; }
case_program_by_a_relative_path() { (cd "$place" && untouched 7 ./target vfork-execv posix_spawn); }

case_warm_program() {
	make_cold() { make_warm; }
	untouched 7 "$target" vfork-execv posix_spawn
}

case_system_wide() {
	has_system
	plan_of_root
	for below in guard canary; do
		systemwide "$handler" $below vfork-execv "$target"
		ends_with 7
	done
}

run_cases
