#!/bin/sh
# SPDX-License-Identifier: MIT
# A user has replaced a planned file by a FIFO. The prefetcher must not wait for it, and must not open it either: that would let a
# waiting writer go on.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/attack/files-lib.sh"
fifo=$home/fifo

carry_out() {
	status=0
	timeout 60 python3 "$HEADSTART_TEST_SOURCE/tests/attack/watch-fifo.py" "$fifo" $way --json "$tmp/plan" >"$tmp/out" || status=$?
	[ $status != 9 ] || fail "'$way' opened the FIFO"
	[ $status = 0 ] || fail "'$way' failed with status $status, or waited"
	said_stale
}

$as_nobody sh -c 'head -c 20000 /dev/zero >"$1"' - "$fifo"
"$plan_of" touch "$fifo" /usr/bin/true >"$tmp/plan"
$as_nobody rm "$fifo"
$as_nobody mkfifo "$fifo"
each_way carry_out
