#!/bin/sh
# What the shim costs a program without a plan. At its start there are at most three system calls besides those by which ld.so
# maps any library. When it executes another program, there are only cheap and harmless ones. If that program has a plan and is
# warm, no look at each variable comes on top.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

can_trace || skip "no strace, or it cannot trace here"

# Prints the system calls of /bin/true, without numbers that differ from run to run.
calls() {
	strace -o "$tmp/trace" -E LD_BIND_NOW=1 "$@" /bin/true
	sed -E '/^\+\+\+/d; s/\(.*//' "$tmp/trace" | sort >"$tmp/calls"
}

# ld.so's own calls, for a library that does nothing.
printf '' >"$tmp/empty.c"
cc -shared -nostdlib -Wl,-z,noseparate-code -Wl,-z,norelro -o "$tmp/empty.so" "$tmp/empty.c" 2>/dev/null ||
	skip "no compiler to make an object to compare with"
calls -E LD_PRELOAD="$tmp/empty.so"
cp "$tmp/calls" "$tmp/calls.empty"
at_most() {
	more=$(($(wc -l <"$tmp/calls") - $(wc -l <"$tmp/calls.empty")))
	[ "$more" -le "$1" ] || fail "$more calls more: $(diff "$tmp/calls.empty" "$tmp/calls")"
}

case_start_takes_three_calls_at_most() {
	for user in "$state" /nonexistent; do
		calls -E LD_PRELOAD="$preload" -E HEADSTART_STATE="$user"
		at_most 3
	done
	calls -E LD_PRELOAD="$preload" -E HOME="$tmp"
	at_most 3
}

case_switched_off_it_takes_none() {
	calls -E LD_PRELOAD="$preload" -E HEADSTART=off
	at_most 0
}

# The calls between the program's own last one and its execve.
case_execution_opens_and_closes_alone() {
	for way in execv execve execvp vfork-execve; do
		strace -f -o "$tmp/trace" -E LD_PRELOAD="$preload" -E HEADSTART_STATE=/nonexistent "$launch" "$way" /usr/bin/true
		awk '/headstart.disable/ { seen++ } seen == 2 && /execve\(/ { exit } seen == 2' "$tmp/trace" |
			sed '/resumed/d; s/^[0-9]* *//' >"$tmp/calls"
		[ -s "$tmp/calls" ] || fail "$way: nothing seen: $(cat "$tmp/trace")"
		! grep -vE '^(openat|close)\(' "$tmp/calls" || fail "$way: other calls than open and close"
		[ "$(wc -l <"$tmp/calls")" -le 16 ] || fail "$way: $(wc -l <"$tmp/calls") calls: $(cat "$tmp/calls")"
	done
}

case_warm_start_reads_no_variables() {
	quiet="env -i $loaded HEADSTART_STATE=$state HEADSTART_PREFETCH=/bin/true"
	reads_variables() {
		status=0
		$quiet "$launch" untouched-environment "$target" || status=$?
		[ "$status" = "$1" ] || fail "exit status $status, not $1"
	}
	when_warm reads_variables 7
	a_cold_start() {
		make_cold
		reads_variables 8
	}
	until_undisturbed a_cold_start
}

# Each look costs as much as the rest of a small hook.
case_cold_start_reads_variables_in_groups() {
	variables=$(seq -f VARIABLE%g=value 100)
	make_cold
	strace -f -qq -e trace=process_vm_readv -o "$tmp/trace" env $variables "$loaded" HEADSTART_STATE="$state" \
		HEADSTART_PREFETCH=/bin/true "$launch" execv "$target" >"$tmp/out" || [ $? = 7 ] || fail "the program failed"
	grep -q process_vm_readv "$tmp/trace" || fail "no variable was read"
	[ "$(wc -l <"$tmp/trace")" -le 20 ] || fail "$(wc -l <"$tmp/trace") looks: $(head -5 "$tmp/trace")"
}

run_cases
