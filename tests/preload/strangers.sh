#!/bin/sh
# Waited for is a prefetcher of the user's own: who may read a plan may lock it, and holds up nobody by that.
. "$HEADSTART_TEST_SOURCE/tests/preload/waits-lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can be several users"

make_physical
cat >"$tmp/hold" <<'END'
# hold PLAN USER [PROGRAM]: takes all locks on the plan as this user, says so, and stays, or becomes the program.
import fcntl, os, signal, sys
plan = os.open(sys.argv[1], os.O_RDONLY)
os.set_inheritable(plan, True)
os.setresuid(*[int(sys.argv[2])] * 3)
fcntl.flock(plan, fcntl.LOCK_EX)
fcntl.lockf(plan, fcntl.LOCK_SH)
if len(sys.argv) > 3:
    os.execv(sys.argv[3], [sys.argv[3], "1000"])
print("held", flush=True)
signal.pause()
END
mkfifo "$tmp/held"
holder=
at_exit() {
	[ -z "$holder" ] || kill "$holder" 2>/dev/null || true
	case $place in "$tmp"/*) ;; *) rm -rf "$place" ;; esac
}
release() {
	kill "$holder"
	wait "$holder" 2>/dev/null || true
	holder=
}
hold() {
	/usr/bin/python3 "$tmp/hold" "$plan" "$1" >"$tmp/held" &
	holder=$!
	read line <"$tmp/held"
}

goes_on() {
	rm -f "$log"
	make_cold
	shimmed "$@" "$look" >"$tmp/seen" || true
	grep -q '^sum' "$tmp/seen" || fail "the program did not run: $(cat "$tmp/seen")"
	grep -q "program=$look .*plan=running" "$log" || fail "the locks are not held: $(cat "$log")"
	kill -0 "$holder" || fail "the holder did not stay"
	[ "$(ps -o stat= -p "$holder" | cut -c1)" != Z ] || fail "the holder did not stay"
}

# Another user's, also under a set-user-ID program. `before` is less than what a stuck prefetcher is waited for.
chmod 755 "$tmp" "$state"
hold 12345
before=$(date +%s)
goes_on
goes_on "$launch" execv
release
cp /bin/sleep "$place/sleep"
chmod u+s "$place/sleep"
/usr/bin/python3 "$tmp/hold" "$plan" 12345 "$place/sleep" &
holder=$!
comes_to [ "/proc/$holder/exe" -ef "$place/sleep" ] || fail "the holder does not become the program"
if grep -q "^Uid:	12345	0	0	0$" "/proc/$holder/status"; then
	goes_on
	goes_on "$launch" execv
else
	echo "set-user-ID programs have no effect in '$place': not tried"
fi
release
[ $(($(date +%s) - before)) -lt 10 ] || fail "a stranger's locks were waited for"

# The user's own is, whoever started it.
hold 0
rm -f "$log" "$order"
make_cold
shimmed "$look" >>"$order" &
starter=$!
comes_to program_waits || fail "the user's own prefetcher is not waited for: $(cat "$log")"
echo released >>"$order"
release
wait $starter || true
[ "$(head -1 "$order")" = released ] || fail "the user's own prefetcher was not waited for: $(cat "$order")"
