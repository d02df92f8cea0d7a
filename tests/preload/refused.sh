#!/bin/sh
# Where the shim must do nothing, it does nothing, and the program is executed all the same: HEADSTART=off in either program,
# seccomp, a program that gives rights, pid 1, no /proc, a folder without plans.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

done_here() {
	[ "$status" = 7 ] || fail "$what: exit status $status: $(cat "$tmp/err")"
	[ "$(started)" = 1 ] || fail "$what: nothing was started"
}

started_plainly="env -i LD_PRELOAD=$preload HEADSTART_STATE=$state HEADSTART_LOG=$log HEADSTART_PREFETCH=/bin/true"
needs_root() { [ "$(id -u)" = 0 ] || skip "not root"; }

case_cold_start_starts_the_prefetcher() {
	what="the control"
	cold shimmed HEADSTART_PREFETCH=/nonexistent "$launch" execv "$target"
	done_here
}

case_switched_off_or_in_whole_mode_nothing_is_done() {
	what="off"
	cold shimmed HEADSTART=off "$launch" execv "$target"
	nothing_done
	what="whole mode"
	cold shimmed HEADSTART=whole "$launch" execv "$target"
	nothing_done
}

# HEADSTART=off only in the started program's environment, with the functions that take one.
case_given_environment_switches_off_its_program() {
	for way in execve execvpe execle execle-short fexecve execveat posix_spawn posix_spawnp; do
		what="off in the environment given to $way"
		cold shimmed FROM=here "$launch" "$way" "$target" one two three four five six seven
		done_here
		cold shimmed FROM=here "$launch" "off-$way" "$target" one two three four five six seven
		[ "$status" = 7 ] || fail "$what: exit status $status"
		grep -q '^environment: HEADSTART=off$' "$tmp/seen" || fail "$what: it is not: $(cat "$tmp/seen")"
		[ ! -e "$log" ] || fail "$what: $(cat "$log")"
	done
}

# After the program has set it in its own environment; and while the program is being recorded.
case_own_environment_switches_off() {
	for variable in HEADSTART=off HEADSTART_RECORDING=name; do
		what="$variable in its own environment"
		for way in execv execvp execl execlp; do
			cold shimmed env "$variable" "$target"
			nothing_done
			cold shimmed sh -c 'exec env "$1" "$2" "$3" "$4"' sh "$variable" "$launch" "$way" "$target"
			nothing_done
		done
	done
}

case_while_recording_nothing_is_done() {
	what="a recording of the calling program"
	cold shimmed HEADSTART_RECORDING=name "$launch" execve "$target"
	nothing_done
}

# Of what a recorded program has started long ago, such as a terminal, the environment says still that it is recorded.
case_when_a_recording_is_over_its_name_says_nothing() {
	past=1-2-1 future=1-2-99999999999
	what="a recording of the calling program that is over"
	cold shimmed HEADSTART_RECORDING=$past HEADSTART_PREFETCH=/nonexistent "$launch" execve "$target"
	done_here
	what="a recording of the calling program that goes on"
	cold shimmed HEADSTART_RECORDING=$future "$launch" execve "$target"
	nothing_done
	what="a recording of the started program that is over"
	cold shimmed HEADSTART_PREFETCH=/nonexistent sh -c 'exec env "$1" "$2" execv "$3"' sh HEADSTART_RECORDING=$past "$launch" "$target"
	done_here
	what="a recording of the started program that goes on"
	cold shimmed sh -c 'exec env "$1" "$2" execv "$3"' sh HEADSTART_RECORDING=$future "$launch" "$target"
	nothing_done
}

# These filters are fatal: any call of a hook that the execution itself does not need kills the program.
case_under_seccomp_nothing_is_done() {
	for action in kill trap errno; do
		for way in execve execv execvp execl vfork-execve; do
			what="seccomp $action, $way"
			cold shimmed "$built/filtered" "$action" "$launch" "$way" "$target"
			nothing_done
		done
		what="seccomp $action, dlopen"
		cold shimmed HEADSTART=whole "$built/filtered" "$action" "$look" "$place/libthree.so"
		[ "$status" = 7 ] || fail "$what: exit status $status"
		[ ! -e "$log" ] || fail "$what: $(cat "$log")"
	done
}

case_for_a_program_that_gives_rights_nothing_is_done() {
	needs_root
	for mode in 4755 2755; do
		what="a program of mode $mode"
		chown 12345:12345 "$target"
		chmod "$mode" "$target"
		cold shimmed "$launch" execv "$target"
		nothing_done
	done
	chown 0:0 "$target"
	chmod 755 "$target"
}

case_for_a_program_with_capabilities_nothing_is_done() {
	needs_root
	if command -v setcap >/dev/null && setcap cap_net_raw+ep "$target" 2>/dev/null; then
		what="a program with capabilities"
		cold shimmed "$launch" execv "$target"
		nothing_done
		setcap -r "$target"
	else
		untried "a program with capabilities: setcap cannot give any here"
	fi
}

case_as_pid_1_nothing_is_done() {
	what="pid 1"
	needs_mounts
	cold unshare --pid --fork --mount-proc $started_plainly "$launch" execv "$target"
	nothing_done
}

case_without_proc_nothing_is_done() {
	what="no /proc"
	needs_mounts
	cold unshare --mount --propagation private sh -c 'mount -t tmpfs none /proc; "$@"' sh $started_plainly "$launch" execv "$target"
	nothing_done
}

# Another user's processes use that user's plans and root's; root never uses a user's.
case_plans_of_other_users_do_not_count() {
	what="another user"
	needs_root
	chmod 755 "$tmp" "$place"
	chmod 777 "$tmp/state"
	for_others "$launch" "$preload"
	started_by_others=$(echo "$started_plainly" | sed "s|$preload|$others/${preload##*/}|")
	cold setpriv --reuid 12345 --clear-groups $started_by_others HEADSTART_LOG="$tmp/their-log" "$others/launch" execv "$target"
	[ "$status" = 7 ] || fail "$what: exit status $status"
	rm -f "$tmp/their-log"
	chown 12345 "$state"/*.plan
	cold shimmed "$launch" execv "$target"
	nothing_done
	touch "$tmp/their-log"
	chmod 666 "$tmp/their-log"
	cold setpriv --reuid 12345 --clear-groups $started_by_others HEADSTART_LOG="$tmp/their-log" "$others/launch" execv "$target"
	[ "$status" = 7 ] || fail "$what: exit status $status"
	grep -q "$target.*plan=started" "$tmp/their-log" || fail "$what: a user's own plan is not carried out"
	third_user() {
		: >"$tmp/their-log"
		cold setpriv --reuid 54321 --clear-groups $started_by_others HEADSTART_LOG="$tmp/their-log" "$others/launch" execv "$target"
	}
	third_user
	[ ! -s "$tmp/their-log" ] || fail "$what: a third user's: $(cat "$tmp/their-log")"
	chown 54321 "$state"/*.plan
	third_user
	grep -q "$target.*plan=started" "$tmp/their-log" || fail "$what: the control: a third user's own plan is not carried out"
}

run_cases
