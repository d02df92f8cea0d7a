# Shared by tests that need a disk. make_disk mounts a small ext4 file system at $disk, in a mount namespace of the test's own. So
# its pages can be made cold, and nobody else reads there. The mounts and the loop device disappear with the namespace, however
# the test ends. Source it after sh-lib.sh; the test begins again inside the namespace.
[ "$(id -u)" = 0 ] || skip "mounting needs root"
command -v mkfs.ext4 >/dev/null || skip "mkfs.ext4 is not installed"
if [ -z "${HEADSTART_TEST_UNSHARED-}" ]; then
	unshare --mount --propagation private true 2>/dev/null || skip "no mount namespaces here"
	rm -rf "$tmp"
	HEADSTART_TEST_UNSHARED=1 exec unshare --mount --propagation private sh "$0" "$@"
fi
disk=$tmp/disk

# Unmounts the disk, or another one. What has just ended may keep it busy for a moment, as a killed process does until the kernel has
# closed its files, and so may a recorder of another test that looks at what is opened on the machine.
unmount() { # [FOLDER]
	tries=0
	while mountpoint -q "${1-$disk}"; do
		umount "${1-$disk}" 2>"$tmp/err" && return
		[ $((tries += 1)) -lt 600 ] || fail "$(cat "$tmp/err")"
		sleep 0.05 # it tells in no other way
	done
}

make_disk() {
	mkdir "$disk"
	truncate -s 64M "$tmp/image"
	mkfs.ext4 -q -F "$tmp/image"
	mount -o loop "$tmp/image" "$disk" 2>"$tmp/err" || skip "no loop device here: $(cat "$tmp/err")"
	at_exit() { umount "$disk" 2>/dev/null || :; }
}

# Mounts the disk anew: nothing of it is in memory then, nor of its device.
make_disk_cold() {
	unmount
	mount -o loop "$tmp/image" "$disk"
}
