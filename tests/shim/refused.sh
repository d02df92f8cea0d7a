#!/bin/sh
# Where nothing may be done, nothing is: HEADSTART=off, the kill switch, seccomp, AT_SECURE, pid 1, no /proc.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

make_plan
nothing_done() {
	[ ! -e "$log" ] || fail "$what: $(cat "$log")"
	"$page" in "$place/libthree.so" && fail "$what: a library was read"
	rm -f "$log"
}

for mode in plan whole; do
	# The control: without a reason not to, it does something.
	make_cold
	shimmed HEADSTART="$mode" HEADSTART_PREFETCH=/nonexistent "$look" >/dev/null || true
	grep -q started "$log" || fail "$mode: nothing is done to begin with"
	rm -f "$log"

	what="off"
	make_cold
	shimmed HEADSTART=off "$look" >/dev/null || true
	nothing_done

	# Filters that are fatal: whatever the shim calls beyond what ld.so itself needs kills the program.
	for action in kill trap errno; do
		what="$mode, seccomp $action"
		make_cold
		status=0
		shimmed HEADSTART="$mode" "$built/filtered" "$action" "$look" >"$tmp/out" || status=$?
		[ "$status" = 7 ] || fail "$what: exit status $status"
		nothing_done
	done
done
"$built/filtered" kill "$built/filtered" probe && fail "the filter does not kill"

if [ "$(id -u)" != 0 ]; then
	untried "kill switch, AT_SECURE, pid 1 and /proc: not root"
	exit 0
fi
unshare --mount --propagation private true 2>/dev/null || {
	untried "kill switch, AT_SECURE, pid 1 and /proc: no private mount namespace can be made here"
	exit 0
}

# A private mount name space, in which the command "$@" after the folder comes.
in_mounts() {
	unshare --mount --propagation private sh -c "$@"
}
# ld.so needs /proc for $ORIGIN.
started_plainly="env -i LD_LIBRARY_PATH=$place LD_AUDIT=$audit HEADSTART_STATE=$state HEADSTART_LOG=$log HEADSTART_PREFETCH=/bin/true"

what="kill switch"
make_cold
mkdir -p "$tmp/etc/headstart"
touch "$tmp/etc/headstart/disable"
status=0
in_mounts 'mount -t overlay overlay -o "lowerdir=$1:/etc" /etc || exit 77; shift; "$@"' sh "$tmp/etc" \
	$started_plainly "$look" >/dev/null 2>&1 || status=$?
[ "$status" != 77 ] || skip "no overlay can be mounted on /etc"
[ "$status" = 7 ] || fail "$what: exit status $status"
nothing_done

what="pid 1"
make_cold
status=0
unshare --pid --fork --mount-proc $started_plainly "$look" >/dev/null || status=$?
[ "$status" = 7 ] || fail "$what: exit status $status"
nothing_done

what="no /proc"
make_cold
status=0
in_mounts 'mount -t tmpfs none /proc; "$@"' sh $started_plainly "$look" >/dev/null || status=$?
[ "$status" = 7 ] || fail "$what: exit status $status"
nothing_done

what="read-only /proc"
make_cold
status=0
in_mounts 'mount -o remount,bind,ro /proc; "$@"' sh $started_plainly "$look" >/dev/null || status=$?
[ "$status" = 7 ] || fail "$what: exit status $status"
grep -q started "$log" || fail "$what: nothing is done"
rm -f "$log"

# ld.so takes an auditor into a set-user-ID program only from the system's folders, and only if it is set-user-ID
# itself. An overlay puts one there; strace shows that it is loaded, and goes no further.
what="AT_SECURE"
have strace || exit 0
libc=$(ldd "$look" | awk '$1 == "libc.so.6" { print $3 }')
folder=$(dirname "$(readlink -f "$libc")")
mkdir "$tmp/lib"
cp "$audit" $libraries "$tmp/lib"
chmod u+s "$tmp/lib/libheadstart-audit.so"
chown 12345 "$look"
chmod u+s "$look"
chmod 755 "$tmp" "$place"
make_cold
status=0
in_mounts 'mount -t overlay overlay -o "lowerdir=$1:$2" "$2" || exit 77; shift 2; "$@"' sh "$tmp/lib" "$folder" \
	strace -f -o "$tmp/trace" env -i LD_AUDIT=libheadstart-audit.so HEADSTART_STATE="$state" "$look" >/dev/null || status=$?
[ "$status" = 7 ] || fail "$what: exit status $status"
grep -q 'openat.*libheadstart-audit.so.*= [0-9]' "$tmp/trace" || fail "$what: the shim was not loaded"
sed '1,/execve.*look/d' "$tmp/trace" | grep -E '/etc/headstart|openat2|preadv2' && fail "$what: it did something"
nothing_done
