#!/bin/sh
# A program waits only for the user's own prefetcher. Whoever may read a plan may lock it, but cannot hold up anybody by that.
. "$HEADSTART_TEST_SOURCE/tests/preload/waits-lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can be several users"
can_trace || skip "no strace, or it cannot trace here"

make_physical
cat >"$tmp/hold" <<'END'
# hold PLAN PROGRAM: takes the prefetcher's locks on the plan as another user, and then executes PROGRAM.
import fcntl, os, sys, time
plan = os.open(sys.argv[1], os.O_RDONLY)
os.set_inheritable(plan, True)
os.setresuid(12345, 12345, 12345)
fcntl.lockf(plan, fcntl.LOCK_SH, 1, (1 << 32) + int(time.monotonic() * 1000))
os.execv(sys.argv[2], sys.argv[2:])
END
chmod 755 "$tmp" "$state" "$place"
chmod 666 "$tmp/begun"
holder=
at_case_exit() { [ -z "$holder" ] || kill "$holder" 2>/dev/null || true; }

# Whether the program goes on, started by itself and by another program, while another user's process of that kind holds the
# locks.
goes_on_beside() {
	program=$1 ids=$2
	/usr/bin/python3 "$tmp/hold" "$plan" "$program" >"$tmp/begun" &
	holder=$!
	read -r line <&8
	if grep -q "^Uid:	$ids$" "/proc/$holder/status"; then
		# These locks hide the prefetcher from others. But the program that has started it knows it without them.
		for way in "" "$launch execv"; do
			what=started
			follow HEADSTART_PREFETCH="$place/own/slow" $way "$look"
			grep -q 'pidfd_open(' "$tmp/calls" || fail "a stranger's locks keep the program from waiting: $program"
			! grep -q "pidfd_open($holder," "$tmp/calls" ||
				fail "a stranger was waited for: $program: $(cat "$tmp/calls")"
		done
	else
		untried "set-user-ID programs, which have no effect in '$place'"
	fi
	kill "$holder" || fail "the holder did not stay"
	wait "$holder" 2>/dev/null || true
	holder=
}

cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$HEADSTART_TEST_BUILD/tests/preload/all-root" "$place"
ln -s "$tmp/begun" "$tmp/go" "$place"
# The program's own prefetcher is the same file, but ends at once.
mkdir "$place/own"
ln "$place/slow" "$place/own/slow"
: >"$place/own/begun" >"$place/own/go"

case_lock_of_another_user_holds_up_nobody() {
	goes_on_beside "$place/slow" "12345	12345	12345	12345"
}

# A set-user-ID program keeps the locks, and may become the other user altogether.
case_lock_of_a_set_user_id_program_holds_up_nobody() {
	chmod u+s "$place/slow" "$place/all-root"
	goes_on_beside "$place/slow" "12345	0	0	0"
	goes_on_beside "$place/all-root" "0	0	0	0"
}

# The program waits for the user's own prefetcher, whoever started it. Its system calls show that.
case_own_prefetcher_is_waited_for() {
	rm -f "$log" "$order"
	make_cold
	start_in_background tell HEADSTART_WAIT=0 "$look"
	prefetcher_begins
	wait $starter || true
	rm -f "$order"
	in_front="strace -qq -f -e trace=ppoll -o $tmp/calls" start_another_slowly "$look"
	go
	head -1 "$order" | grep -qx "prefetched --fd [0-9]* --alongside" ||
		fail "the user's own prefetcher was not waited for: $(cat "$order")"
	[ -n "$(waits_up_to)" ] || fail "what is waited for is not seen: $(cat "$tmp/calls")"
}

run_cases
