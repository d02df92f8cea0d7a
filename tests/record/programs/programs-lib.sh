# Shared by the recorder's tests: programs to be recorded, made in the folder $disk.

# make_programs [RPATH]: where the program `start` looks for its libraries; by default where they are made.
make_programs() {
	src=$HEADSTART_TEST_SOURCE/tests/record/programs
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
