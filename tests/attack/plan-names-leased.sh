#!/bin/sh
# SPDX-License-Identifier: MIT
# A user holds a write lease on a planned file and does not give it up. An open that waited would wait for the kernel's
# lease-break-time, 45 seconds. The prefetcher must end while the lease is still held.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/attack/files-lib.sh"
file=$home/leased
mkfifo "$tmp/held" "$tmp/end"

# Takes the lease, says "held", and keeps it until the other FIFO ends.
cat >"$tmp/hold.py" <<'END'
import fcntl, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
with open(sys.argv[1], "r+b") as leased:
    fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    with open(sys.argv[2], "w") as held:
        held.write("held\n")
    with open(sys.argv[3]) as end:
        end.read()
END
chmod 644 "$tmp/hold.py"

carry_out() {
	python3 "$tmp/hold.py" "$file" "$tmp/held" "$tmp/end" 2>"$tmp/err" &
	holder=$!
	[ "$(cat "$tmp/held")" = held ] || skip "no leases here: $(tail -n 1 "$tmp/err")"
	timeout 30 $way --json "$tmp/plan" >"$tmp/out" || fail "'$way' waited for the lease"
	grep -q '"refused": 1' "$tmp/out" || fail "'$way' did not pass the file over: $(cat "$tmp/out")"
	kill -0 "$holder" || fail "nobody held the lease any more"
	: >"$tmp/end"
	wait "$holder"
}

$as_nobody sh -c 'head -c 20000 /dev/zero >"$1"' - "$file"
"$plan_of" touch "$file" /usr/bin/true >"$tmp/plan"
each_way carry_out
