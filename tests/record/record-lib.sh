# Shared by the recorder's tests: a small ext4 file system of their own, in a mount namespace of their own, so that cold is
# cold and nobody else reads there; and programs on it. Sourced after sh-lib.sh.
[ "$(id -u)" = 0 ] || skip "recording needs root"
command -v mkfs.ext4 >/dev/null || skip "mkfs.ext4 is not installed"
if [ -z "${HEADSTART_TEST_UNSHARED-}" ]; then
	unshare --mount --propagation private true 2>/dev/null || skip "no mount namespaces here"
	rm -rf "$tmp"
	HEADSTART_TEST_UNSHARED=1 exec unshare --mount --propagation private sh "$0" "$@"
fi
# There can be one recording on a machine: tests take turns, those of other clones too.
exec 7</sys/kernel
flock 7
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
disk=$tmp/disk
recorders= # process ids of those started in the background
export HEADSTART_STATE=$tmp/state

make_disk() {
	mkdir "$disk"
	truncate -s 64M "$tmp/image"
	mkfs.ext4 -q -F "$tmp/image"
	mount -o loop "$tmp/image" "$disk" 2>"$tmp/err" || skip "no loop device here: $(cat "$tmp/err")"
	at_exit() { umount "$disk" 2>/dev/null || :; }
}

# What a recorder changes: read-ahead of the disk, and tracing instances of its own. Only of the disk made here, because
# others may be at work on this machine.
machine_state() {
	mkdir -p "$tmp/tracefs"
	mount -t tracefs tracefs "$tmp/tracefs" 2>/dev/null || :
	for pid in $recorders; do
		ls "$tmp/tracefs/instances" | grep "^headstart-$pid\$" || :
	done
	umount "$tmp/tracefs" 2>/dev/null || :
	cat "/sys/class/bdi/$(mountpoint -d "$disk")/read_ahead_kb"
}

can_record() {
	until "$tool" record --quiet --no-drop -o "$tmp/probe" true 2>"$tmp/err"; do
		grep -q "another recording is running" "$tmp/err" || skip "no recording here: $(cat "$tmp/err")"
		sleep 0.1 # it is nobody's that we could wait for
	done
}

make_programs() {
	src=$HEADSTART_TEST_SOURCE/tests/record
	for library in one:4096 two:12288 three:20480; do
		name=${library%:*}
		cc -O1 -shared -fPIC -DNAME="$name" -DSTEP="${library#*:}" -Wl,-soname,"lib$name.so.1" \
			-o "$disk/lib$name.so.1.0" "$src/library.c"
		ln -s "lib$name.so.1.0" "$disk/lib$name.so.1"
		ln -s "lib$name.so.1" "$disk/lib$name.so"
	done
	cc -O1 -o "$disk/start" "$src/start.c" -L"$disk" -lone -ltwo -Wl,-rpath,"$disk"
	head -c 3000000 /dev/urandom >"$disk/data"
	: >"$disk/empty"
	mkdir "$disk/folder"
	cp "$(command -v sed)" "$disk/helper"
	cat >"$disk/script" <<-END
		#!/bin/sh
		echo text | $disk/helper s/t/T/ >/dev/null
		cat <$disk/empty
		ls $disk/folder
		cd $disk
		exec ./start $disk/data $disk/libthree.so.1
	END
	chmod +x "$disk/script"
	ln -s script "$disk/link"
}
