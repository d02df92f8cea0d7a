#!/bin/sh
# Files on an overlayfs (containers): with every engine, the bytes arrive in the page cache of the lower layer.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
if [ "${1-}" != inside ]; then
	rm -rf "$disk"
	[ "$(id -u)" = 0 ] || skip "not root"
	grep -q overlay /proc/filesystems || skip "this kernel has no overlayfs"
	unshare --mount --propagation private true 2>/dev/null || skip "mount namespaces cannot be made here"
	status=0
	unshare --mount --propagation private sh "$0" inside || status=$?
	exit $status
fi

lower=$disk/lower
mkdir "$lower" "$disk/upper" "$disk/work" "$disk/merged"
real=$disk
disk=$lower
make_files 4
disk=$real
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$disk/upper,workdir=$disk/work" "$disk/merged" ||
	skip "an overlayfs cannot be mounted on this"
# The kernel may still be closing the files of a ring whose process has ended.
more_at_exit() { umount --lazy "$real/merged"; }
"$plan_of" touch "$disk"/merged/f* >"$tmp/over.plan"
total=$(cat "$lower"/f* | wc -c)

brings() {
	evict "$lower"/f*
	out=$("$prefetch" --json --verify --engine $engine "$tmp/over.plan")
	[ "$(value bytes_asked "$out")" = "$total" ] || fail "$engine did not ask for all: $out"
	[ "$(value bytes_resident_before "$out")" = 0 ] || fail "the files were not cold: $out"
	found "$total" "$out" "$lower"/f* || fail "$engine: not all has arrived: $out"
	"$page" came "$lower"/f* >"$tmp/out" || fail "$engine: the lower layer is not resident: $(cat "$tmp/out")"
}
for engine in uring nowait fadvise read auto; do
	until_undisturbed brings
done
