#!/bin/sh
# A program may let environ point anywhere. Where the kernel would return EFAULT, a hook that looks into the environment must not
# crash.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
wild=$attack/wild-environment
program=$place/exits-with-9 # a status that does not stand for EFAULT
printf '#!/bin/sh\nexit 9\n' >"$program"
chmod 755 "$program"
"$built/plan-for" "$state" "$program" $libraries >"$tmp/out"

gets_efault() { # WHAT CHECK
	for way in execv execvp execl execlp; do
		what="$1, $way"
		env -i "$wild" "$1" $way "$program" >"$tmp/seen" 2>&1 && status=0 || status=$?
		ends_with 7 # without the shim
		forced "$wild" "$1" $way "$program"
		"$2"
	done
}

# If the list cannot be read, nothing is started. If only a string cannot be read, it forbids nothing.
case_list_is_not_mapped() { gets_efault list target_ran_unplanned; }
case_list_runs_into_what_is_not_mapped() { gets_efault end target_ran_unplanned; }
case_string_is_not_mapped() { gets_efault string target_ran_planned; }

# The control: the hooks find the plan of that program.
case_prefetcher_is_started_where_the_list_is_good() {
	for way in execv execvp execl execlp; do
		what=$way
		forced "$launch" $way "$program"
		ends_with 9
		was_run own
	done
}

case_system_wide() {
	has_system
	plan_of_root "$program"
	for bad in list end string; do
		what=$bad
		systemwide "$wild" $bad execv "$program"
		ends_with 7
	done
	systemwide "$launch" execv "$program"
	ends_with 9
	was_run installed
}

run_cases
