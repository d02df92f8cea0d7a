#!/bin/sh
# In a child of vfork, on small stacks, in signal handlers and under a rain of signals, a hook does its work and leaves nothing
# behind.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

cold shimmed HEADSTART_PREFETCH=/bin/true "$HEADSTART_TEST_BUILD/tests/preload/memory" "$(cat "$tmp/out")" "$target" $libraries
[ "$status" = 0 ] || fail "exit status $status: $(cat "$tmp/err")"
[ "$(started)" -ge 10 ] || fail "only $(started) prefetchers were started"
