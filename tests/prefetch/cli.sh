#!/bin/sh
# headstart-prefetch as others call it: by path; by descriptor, with everything else closed; damaged plans; its log; the stale
# mark; another user's files.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
make_files 3
plan=$tmp/p.plan
"$plan_of" touch "$disk"/f* >"$plan"

case_wrong_arguments_are_refused() {
	refuses 2 "no plan given: name one, or use '--fd'" "$prefetch"
	refuses 2 "give one plan, or --fd: unexpected argument '$tmp/two'" "$prefetch" "$plan" "$tmp/two"
	refuses 2 "give one plan, or --fd: unexpected argument '$plan'" "$prefetch" --fd 3 "$plan"
	escape=$(printf '\033[2Jx')
	refuses 1 "'?[2Jx': No such file" "$prefetch" "$escape"
	refuses 2 "unknown option '--?[2Jx'" "$prefetch" "--$escape"
	refuses 2 "unknown option '--frob'" "$prefetch" --frob "$plan"
	refuses 2 "not a value for this option: 'x'" "$prefetch" --time-budget x "$plan"
	refuses 2 "unknown engine 'slow': use auto, uring, nowait, fadvise or read" "$prefetch" --engine slow "$plan"
	refuses 1 "cannot read '$tmp/no-plan': No such file or directory" "$prefetch" "$tmp/no-plan"
	refuses 2 "a value is missing after '--fd'" "$prefetch" --fd
	refuses 1 "No such file" "$prefetch" "$tmp/none"
	refuses 1 "is not a regular file" "$prefetch" "$tmp"
	mkfifo "$tmp/fifo"
	refuses 1 "is not a regular file" "$prefetch" "$tmp/fifo"
	refuses 1 "Bad file descriptor" "$prefetch" --fd 77
	"$prefetch" --help | grep -q -- --memory-budget || fail "--help does not help"
}

# Damaged plans: one sentence, exit status 1, no signal.
case_damaged_plan_is_one_sentence() {
	size=$(stat -c %s "$plan")
	head -c $((size - 7)) "$plan" >"$tmp/short.plan"
	refuses 1 "is truncated" "$prefetch" "$tmp/short.plan"
	refuses 1 "is not a headstart plan" "$prefetch" "$disk/f1"
	: >"$tmp/empty.plan"
	refuses 1 "is not a headstart plan" "$prefetch" "$tmp/empty.plan"
	for at in 16 40 72 88 120 $((size - 3)); do
		cp "$plan" "$tmp/poked.plan"
		damage "$tmp/poked.plan" "$at"
		refuses 1 "is " "$prefetch" "$tmp/poked.plan"
	done
}

case_nothing_is_said_by_default() {
	[ -z "$("$prefetch" "$plan" 2>&1)" ] || fail "it is not quiet"
}

# While a plan is carried out, which a lock on the program shows, whole mode leaves the disk to it, and says so. It ignores locks
# of other programs: it goes on, and finds that this file is no list of objects. (tests/shim/test-plan-lock.c has the rest.)
case_lock_of_a_stranger_does_not_count() {
	cp "$prefetch" "$tmp/busy"
	python3 -c '
import fcntl, subprocess, sys
with open(sys.argv[1], "rb") as program:
    fcntl.lockf(program, fcntl.LOCK_SH)
    sys.exit(subprocess.run([sys.argv[1], "--objects", "--fd", "0"]).returncode)' "$tmp/busy" </dev/null 2>"$tmp/err" &&
		fail "a lock of a program that is no prefetcher counts"
	grep -q "is not a list of objects" "$tmp/err" || fail "beside a stranger: $(cat "$tmp/err")"
}

case_fifo_is_no_plan() {
	mkfifo "$tmp/fifo.plan"
	! "$tmp/busy" "$tmp/fifo.plan" 2>"$tmp/err" || fail "a FIFO is taken for a plan"
}

# Started as the shim starts it, too.
case_plan_by_descriptor_brings_every_byte() {
	"$prefetch" --fd 3 3<"$plan" || fail "by descriptor"
	arrives_by_descriptor() {
		evict "$disk"/f*
		"$prefetch" --wait --fd 3 3<"$plan" 0<&- 1>&- 2>&- || fail "it failed with everything closed"
		"$page" came "$disk"/f* >"$tmp/out" || fail "not all arrived by --fd: $(cat "$tmp/out")"
	}
	until_undisturbed arrives_by_descriptor
}

# A program that needs real-time scheduling has it for its own work. A program in the background keeps its prefetcher there, and a
# user who names a plan decides.
case_real_time_is_given_up() {
	can_trace || skip "no strace, or it cannot trace here"
	chrt -f 1 true 2>/dev/null || skip "real-time scheduling is refused here"
	for policy in -f:1 -r:1 -i:0; do
		chrt ${policy%:*} ${policy#*:} strace -qq -e trace=sched_setscheduler -o "$tmp/calls" "$prefetch" --fd 3 3<"$plan"
		case $policy in
		-i*) [ ! -s "$tmp/calls" ] || fail "$policy: $(cat "$tmp/calls")" ;;
		*) grep -q '^sched_setscheduler(0, SCHED_OTHER, .*) *= 0' "$tmp/calls" || fail "$policy: it stays real-time: $(cat "$tmp/calls")" ;;
		esac
	done
	chrt -f 1 strace -qq -e trace=sched_setscheduler -o "$tmp/calls" "$prefetch" "$plan"
	[ ! -s "$tmp/calls" ] || fail "with a plan by name: $(cat "$tmp/calls")"
}

case_verify_speaks() {
	"$prefetch" --verify "$plan" | grep -q '^resident before: ' || fail "--verify says nothing in words"
}

# Each run writes one line, even if many run at once.
case_every_run_logs_one_line() {
	for i in 1 2 3 4 5 6; do
		HEADSTART_LOG=$tmp/log "$prefetch" "$plan" &
	done
	wait
	[ "$(grep -c "^prefetch program=$disk/f1 engine=[a-z]* opened=3 .* elapsed_us=[0-9]* alongside=0 read=[0-9a-z]* swept=0$" "$tmp/log")" = 6 ] ||
		fail "the log is wrong: $(cat "$tmp/log")"
	HEADSTART_LOG=/nowhere/log "$prefetch" "$plan" || fail "a log that cannot be written is an error"
}

# A changed file drops out alone, and the plan is marked, by path and by descriptor.
case_changed_file_drops_out_and_marks_the_plan() {
	[ ! -e "$plan.stale" ] || fail "a good plan was marked stale"
	echo more >>"$disk/f2"
	out=$("$prefetch" --json "$plan")
	[ "$(value stale "$out")" = 1 ] && [ "$(value opened "$out")" = 2 ] || fail "the changed file was not seen: $out"
	[ -e "$plan.stale" ] || fail "the plan was not marked stale"
	rm "$plan.stale"
	rm "$disk/f2"
	"$prefetch" --fd 3 3<"$plan" || fail "a missing file is an error"
	[ -e "$plan.stale" ] || fail "the plan was not marked stale by --fd"
}

# Another user's files: they are prefetched, but nobody can tell which pages are resident.
case_files_of_another_user_are_prefetched() {
	[ "$(id -u)" = 0 ] || skip "not root"
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod 755 "$tmp" "$disk"
	for_others "$prefetch"
	$as_nobody test -r "$disk/f1" || skip "'$disk' cannot be reached by an ordinary user"
	out=$($as_nobody "$others/headstart-prefetch" --json --verify "$plan")
	[ "$(value bytes_resident_after "$out")" = null ] || fail "residency of root's files was claimed: $out"
	[ "$(value opened "$out")" = 2 ] || fail "an ordinary user could not prefetch: $out"
}

run_cases
