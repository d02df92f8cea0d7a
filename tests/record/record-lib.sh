# Shared by the recorder's tests: programs on a disk of their own, and checks for what recording needs. Source it after sh-lib.sh.
[ "$(id -u)" = 0 ] || skip "recording needs root"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
# Only one recording at a time can run on a machine: tests take turns, also with those of other clones.
exec 7</sys/kernel
flock 7
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
recorders= # process ids of the ones started in the background
export HEADSTART_STATE=$tmp/state

# Prints the state that a recorder changes: read-ahead of the disk made here, and tracing instances of this test. Others may be at
# work on this machine, so nothing else counts.
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
		sleep 0.1 # it is no child of ours, so wait(2) cannot tell
	done
}

# make_programs [RPATH]: where the program `start` looks for its libraries; by default where they are made.
make_programs() {
	src=$HEADSTART_TEST_SOURCE/tests/record
	for library in one:4096 two:12288 three:20480; do
		name=${library%:*}
		cc -O1 -shared -fPIC -DNAME="$name" -DSTEP="${library#*:}" -Wl,-soname,"lib$name.so.1" \
			-o "$disk/lib$name.so.1.0" "$src/library.c"
		ln -s "lib$name.so.1.0" "$disk/lib$name.so.1"
		ln -s "lib$name.so.1" "$disk/lib$name.so"
	done
	cc -O1 -o "$disk/start" "$src/start.c" -L"$disk" -lone -ltwo -Wl,-rpath,"${1:-$disk}"
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
