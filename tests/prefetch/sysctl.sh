#!/bin/sh
# kernel.io_uring_disabled: with 1 an ordinary user's ring is refused, and the bytes still arrive. 1, and not 2, so that
# other programs of root's do not notice; a watcher puts it back even if this test is killed.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
sysctl=/proc/sys/kernel/io_uring_disabled
[ "$(id -u)" = 0 ] || skip "not root"
[ -w $sysctl ] || skip "this kernel has no kernel.io_uring_disabled"
[ "$(cat $sysctl)" = 0 ] || skip "kernel.io_uring_disabled is $(cat $sysctl) already"
command -v setpriv >/dev/null || skip "no setpriv"

# Files of that user, so that it may verify.
make_files 4
chmod 755 "$tmp" "$disk"
for_others "$prefetch"
"$plan_of" touch "$disk"/f* >"$tmp/plan"
chown 65534:65534 "$disk" "$disk"/f*
$as_nobody test -r "$disk/f1" || skip "'$disk' cannot be reached by an ordinary user"

# The watcher holds the reading end; its end of file is the end of this test, whatever ends it.
mkfifo "$tmp/alive"
setsid sh -c "read -r _ <'$tmp/alive'; echo 0 >$sysctl" &
watcher=$!
exec 9>"$tmp/alive"
echo 1 >$sysctl
arrives nowait $as_nobody "$others/headstart-prefetch" --verify --json "$tmp/plan"
exec 9>&-
wait $watcher
[ "$(cat $sysctl)" = 0 ] || fail "kernel.io_uring_disabled was not put back"
