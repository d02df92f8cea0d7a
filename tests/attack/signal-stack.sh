#!/bin/sh
# A signal handler on a small alternate stack may start programs. There the shim must not write below that stack, and must start
# no prefetcher.
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
			was_not_run own
			log_lacks plan=
		done
	done
}

# The control: the same handler on the usual stack.
case_handler_on_the_usual_stack_starts_the_prefetcher() {
	for way in vfork-execv posix_spawn; do
		what=$way
		forced "$handler" usual $way "$target"
		ends_with 7
		log_says plan=started
		was_run own
	done
}

case_program_without_plan() { untouched 0 /bin/true vfork-execv posix_spawn; }
case_program_with_a_plan() { untouched 7 "$target" vfork-execv posix_spawn; }
case_program_by_a_relative_path() { (cd "$place" && untouched 7 ./target vfork-execv posix_spawn); }

case_warm_program() {
	warm_is_right=yes
	make_cold() { make_warm; }
	untouched 7 "$target" vfork-execv posix_spawn
}

case_system_wide() {
	has_system
	plan_of_root
	what=control
	systemwide "$handler" usual vfork-execv "$target"
	ends_with 7
	was_run installed
	what=system-wide
	for below in guard canary; do
		systemwide "$handler" $below vfork-execv "$target"
		ends_with 7
		was_not_run installed
	done
}

run_cases
