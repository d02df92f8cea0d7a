# Source it after sh-lib.sh. For tests in which a user has replaced a planned file by something else: a user, and a folder of that
# user with a file that a plan of root's lists.
[ "$(id -u)" = 0 ] || skip "root's plan needs root"
command -v setpriv >/dev/null || skip "no setpriv to become a user with"
plan_of=$HEADSTART_TEST_BUILD/tests/prefetch/plan-of
refuse=$HEADSTART_TEST_BUILD/tests/prefetch/refuse
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
chmod 711 "$tmp"
home=$tmp/home
mkdir -p "$home"
chown 65534:65534 "$home"

# Checks that the prefetcher, whose output is in $tmp/out, has noticed that one of the files is another now.
said_stale() {
	grep -q '"stale": 1' "$tmp/out" || fail "'$way' did not say that the file is another: $(cat "$tmp/out")"
}

# Runs a command once for each way in which the prefetcher opens files: by the ring, one by one, and both without openat2.
each_way() { # COMMAND…, which runs $way PLAN
	for way in "$prefetch --engine uring" "$prefetch --engine nowait" "$prefetch --engine read" \
		"$refuse openat2 ENOSYS $prefetch --engine nowait" "$refuse openat2,io_uring_setup EPERM $prefetch"; do
		"$@"
	done
}

# watched FUNCTION: runs it in another shell of this test, with $TERMINAL set, and fails if anybody opens that terminal.
watched() {
	status=0
	python3 "$HEADSTART_TEST_SOURCE/tests/attack/watch-terminal.py" sh "$0" "$1" || status=$?
	case $status in
	0) ;;
	77) skip "no terminals here" ;;
	9) fail "$1: a terminal was opened" ;;
	*) fail "$1: failed with status $status" ;;
	esac
}
