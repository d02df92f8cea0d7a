#!/bin/sh
# A program may free the memory of variables that it has replaced. From then on the shim must not read the initial environment.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
variable=HEADSTART_TEST_FREED=initial

case_program_without_plan() {
	forced "$variable" "$attack/freed" /bin/true
	ends_with 0
}

case_program_with_a_plan() {
	forced "$variable" "$attack/freed" "$target"
	ends_with 7
	was_run own
}

case_system_wide() {
	has_system
	plan_of_root
	systemwide "$variable" "$attack/freed" /bin/true
	ends_with 0
	systemwide "$variable" "$attack/freed" "$target"
	ends_with 7
	was_run installed
}

run_cases
