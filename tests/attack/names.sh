#!/bin/sh
# A program may choose a name with newlines and spaces in it, so that it looks like a line of /proc/PID/status. The shim must not
# be deceived by it.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
newline='
'
tab='	'

# The kernel takes the first 15 bytes of a program's name for that of its process.
case_process_name_says_nothing_of_seccomp() {
	for name in "x${newline}Seccomp:${tab}0${newline}" "${newline}Seccomp:${tab}0${newline}" "Seccomp: 0" "a b  c"; do
		cp "$launch" "$place/$name"
		for action in kill trap; do
			for way in posix_spawn execv vfork-execve; do
				what="seccomp $action, $way, process '$name'"
				# posix_spawn needs system calls that such a filter forbids.
				[ $way != posix_spawn ] || continue
				forced "$built/filtered" $action "$place/$name" $way "$target"
				ends_with 7
				was_not_run own
			done
		done
		what="no filter, process '$name'"
		forced "$place/$name" execv "$target"
		ends_with 7
		was_run own
		rm "$place/$name"
	done
}

case_process_name_says_nothing_of_users() {
	name="x${newline}Uid:${tab}0${tab}0${tab}0${tab}0"
	cp "$launch" "$place/$name"
	as=$as_victim
	forced "$place/$name" execv "$target"
	ends_with 7
	was_run own
}

run_cases
