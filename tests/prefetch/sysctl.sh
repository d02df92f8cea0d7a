#!/bin/sh
# kernel.io_uring_disabled=1 refuses an ordinary user's ring, and the bytes arrive all the same. It is 1 and not 2, so that root's
# other programs do not notice. A watcher restores it even if this test is killed.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
sysctl=/proc/sys/kernel/io_uring_disabled
[ "$(id -u)" = 0 ] || skip "not root"
[ -w $sysctl ] || skip "this kernel has no kernel.io_uring_disabled"
exec 8<$sysctl # tests of other clones take turns; the watcher, too, holds it until it has put the value back
flock 8
[ "$(cat $sysctl)" = 0 ] || skip "kernel.io_uring_disabled is $(cat $sysctl) already"
command -v setpriv >/dev/null || skip "no setpriv"

# Files of that user, so that it may verify.
make_files 4
chmod 755 "$tmp" "$disk"
for_others "$prefetch"
"$plan_of" touch "$disk"/f* >"$tmp/plan"
chown 65534:65534 "$disk" "$disk"/f*
$as_nobody test -r "$disk/f1" || skip "'$disk' cannot be reached by an ordinary user"

# The watcher holds the reading end of a pipe. It sees the end of file when this test ends, for whatever reason.
mkfifo "$tmp/alive"
setsid sh -c "read -r _ <'$tmp/alive'; echo 0 >$sysctl" &
watcher=$!
exec 9>"$tmp/alive"
echo 1 >$sysctl
arrives nowait $as_nobody "$others/headstart-prefetch" --verify --json "$tmp/plan"
exec 9>&-
wait $watcher
[ "$(cat $sysctl)" = 0 ] || fail "kernel.io_uring_disabled was not put back"
