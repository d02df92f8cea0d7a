#!/bin/sh
# SPDX-License-Identifier: MIT
# A user holds a write lease on a planned file and does not give it up. An open that waited would wait for the kernel's
# lease-break-time, 45 seconds. The prefetcher must end while the lease is still held.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/attack/files-lib.sh"
file=$home/leased
mkfifo "$tmp/held" "$tmp/end"

# Takes the lease, says "held" or why not, and keeps it until the other FIFO ends. While the file is open elsewhere there is none: the
# kernel closes what a prefetcher had in its ring a little after that has ended.
cat >"$tmp/hold.py" <<'END'
import fcntl, signal, sys, time
def take(leased):
    for attempt in range(600):
        try:
            fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            return "held"
        except BlockingIOError:
            time.sleep(0.05)
        except OSError as error:
            return f"no leases here: {error}"
    return "somebody else has the file open"
signal.signal(signal.SIGIO, signal.SIG_IGN)
with open(sys.argv[1], "r+b") as leased:
    answer = take(leased)
    with open(sys.argv[2], "w") as held:
        print(answer, file=held)
    if answer == "held":
        with open(sys.argv[3]) as end:
            end.read()
END
chmod 644 "$tmp/hold.py"

carry_out() {
	python3 "$tmp/hold.py" "$file" "$tmp/held" "$tmp/end" &
	holder=$!
	answer=$(cat "$tmp/held")
	case $answer in
	held) ;;
	"no leases here"*) skip "$answer" ;;
	*) fail "$answer" ;;
	esac
	timeout 30 $way --json "$tmp/plan" >"$tmp/out" || fail "'$way' waited for the lease"
	grep -q '"refused": 1' "$tmp/out" || fail "'$way' did not pass the file over: $(cat "$tmp/out")"
	kill -0 "$holder" || fail "nobody held the lease any more"
	: >"$tmp/end"
	wait "$holder"
}

$as_nobody sh -c 'head -c 20000 /dev/zero >"$1"' - "$file"
"$plan_of" touch "$file" /usr/bin/true >"$tmp/plan"
each_way carry_out
