#!/bin/sh
# A program has a file of a FUSE file system open whose server does not answer when it is closed. The hook does not wait for that.
if [ "${1-}" != inside ]; then
	. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
	needs_mounts
	[ -c /dev/fuse ] || skip "no /dev/fuse (modprobe fuse)"
	status=0
	unshare --mount --propagation private sh "$0" inside || status=$?
	exit $status
fi
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

mkdir "$tmp/real" "$tmp/mirror"
: >"$tmp/real/file"
mkfifo "$tmp/mirror.log.held"
"$HEADSTART_TEST_BUILD/tests/prefetch/mirror" "$tmp/real" "$tmp/mirror" "$tmp/mirror.log" hold-close 2>"$tmp/mirror-err" &
server=$!
at_case_exit() { kill -KILL $server 2>/dev/null || :; }
until mountpoint -q "$tmp/mirror"; do
	kill -0 $server 2>/dev/null || skip "a FUSE file system cannot be mounted here: $(cat "$tmp/mirror-err")"
	sleep 0.01
done

# Opens the file, starts the target, and only then lets the server answer.
cat >"$tmp/starter" <<'END'
import os, sys
file, target, held, returned = sys.argv[1:]
os.open(file, os.O_WRONLY)
child = os.posix_spawn(target, [target], {})
os.close(os.open(returned, os.O_CREAT))
os.open(held, os.O_RDWR)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END

case_hook_returns_while_the_server_does_not_answer() {
	make_cold
	shimmed /usr/bin/python3 "$tmp/starter" "$tmp/mirror/file" "$target" "$tmp/mirror.log.held" "$tmp/returned" >"$tmp/seen" 2>&1 &
	starter=$!
	tries=0
	until [ -e "$tmp/returned" ]; do
		kill -0 $starter 2>/dev/null || fail "the program has ended: $(cat "$tmp/seen")"
		[ $((tries += 1)) -lt 1000 ] || fail "posix_spawn does not return"
		sleep 0.01
	done
	status=0
	wait $starter || status=$?
	[ "$status" = 7 ] || fail "the program failed with $status: $(cat "$tmp/seen")"
	starts
	grep -q '^flush' "$tmp/mirror.log" || fail "the file was not closed"
}

run_cases
