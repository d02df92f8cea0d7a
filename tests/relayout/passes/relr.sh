#!/bin/sh
# Packed relocations at work: a library of each linker with pointers in every kind of place, a C++ program, and libraries of the
# system work as before. The loader, tools and the debugger accept them.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v g++ >/dev/null || skip "no g++"
here=$HEADSTART_TEST_SOURCE/tests/relayout/passes
relr_version=GLIBC_ABI_DT_RELR
libc=$(ldd /bin/sh | sed -n 's/.*libc.so.6 => \([^ ]*\) .*/\1/p')
grep -q $relr_version "$libc" || skip "the libc of this system is older than 2.36"
cd "$tmp"
mkdir relaid said

# Relayouts files into relaid/, by a profile of a start that touches two pages of each. said/FILE has the output for each.
relayout() {
	{ echo "program $1" && for file; do printf 'file regular %s\nrange 1 2 1 1\n' "$file"; done; } |
		"$make_profile" profile || fail "no profile"
	for file; do
		"$headstart" relayout --profile profile --all --json -o relaid "$file" >"said/${file##*/}" ||
			fail "'$file' is not relaid"
		"$headstart" verify "relaid/${file##*/}" >/dev/null || fail "'$file' does not verify"
	done
}

# Whether pass $2 changed the relaid file of $1.
did() {
	[ "$(json "said/$1" 'TOP["files"][0]["passes"][ARGS[0]]["done"]' "$2")" = True ]
}

case_libraries_and_programs_of_each_linker() {
	echo "libraries and a program, by linker and binding"
	g++ -O1 -c -o program.o "$here/relr-program.cc"
	for linker in bfd gold lld mold; do
		for flags in -Wl,-z,lazy -Wl,-z,now -Wl,-z,noseparate-code; do
			gcc -fuse-ld=$linker "$flags" -shared -o probe.so -x c /dev/null 2>/dev/null || {
				untried "$linker $flags: it does not link here"
				continue
			}
			rm -f libsample.so relaid/*
			gcc -O0 -fPIC -shared -fuse-ld=$linker "$flags" -Wl,-soname,libsample.so -Wl,--build-id -o libsample.so \
				"$here/relr-sample.c" || fail "$linker $flags does not link"
			g++ -fuse-ld=$linker "$flags" -Wl,--build-id -o program program.o ./libsample.so || fail "$linker: no program"
			LD_LIBRARY_PATH=. ./program >before
			grep -q ' 0$' before || fail "$linker $flags: the sample itself is wrong: $(cat before)"
			relayout "$tmp/libsample.so" "$tmp/program"
			for file in libsample.so program; do
				if did $file relr; then
					LD_DEBUG=versions LD_LIBRARY_PATH=relaid relaid/program 2>&1 >/dev/null |
						grep -q "$relr_version.*required by file .*$file" ||
						fail "$linker $flags: '$file' does not require the version"
				else
					# lld leaves no room in the dynamic section.
					grep -q 'no room for DT_RELR' said/$file ||
						fail "$linker $flags: '$file' is not packed: $(cat said/$file)"
					[ $linker = lld ] || fail "$linker $flags leaves no room"
				fi
			done
			for now in '' 1; do
				LD_BIND_NOW=$now LD_LIBRARY_PATH=relaid relaid/program >after || fail "$linker $flags: does not run"
				cmp before after || fail "$linker $flags: runs otherwise"
			done
			echo "  $linker $flags: $(did libsample.so relr && echo packed || echo no room)"
		done
	done
}

case_segment_that_is_not_writable() {
	echo "relocations in a segment that is not writable"
	gcc -O0 -fPIC -shared -DTEXTREL -Wl,-z,notext -Wl,--build-id -o libsample.so "$here/relr-sample.c" 2>/dev/null
	readelf -d libsample.so | grep -q TEXTREL || fail "the sample has no DT_TEXTREL"
	relayout "$tmp/libsample.so" "$tmp/program"
	did libsample.so relr || fail "with DT_TEXTREL nothing is packed"
	LD_LIBRARY_PATH=relaid relaid/program >after
	cmp before after || fail "with DT_TEXTREL it runs otherwise"
}

case_library_for_aarch64() {
	echo "aarch64, in an image"
	if have aarch64-linux-gnu-gcc; then
		mkdir -p tree/usr/lib/aarch64-linux-gnu
		arm=/usr/lib/aarch64-linux-gnu/libarm.so
		cp "$(aarch64-linux-gnu-gcc -print-file-name=libc.so.6)" tree/usr/lib/aarch64-linux-gnu/
		aarch64-linux-gnu-gcc -O0 -fPIC -shared -Wl,--build-id -o tree$arm "$here/relr-sample.c" ||
			fail "no aarch64 library"
		printf 'program %s\nfile regular %s\nrange 1 2 1 1\n' $arm "$tmp/tree$arm" | "$make_profile" profile
		"$headstart" relayout --profile profile --all --json --tree tree -o relaid $arm >said/libarm.so ||
			fail "the library for aarch64 is not relaid"
		did libarm.so relr || fail "the library for aarch64 is not packed: $(cat said/libarm.so)"
		"$headstart" verify relaid/libarm.so >/dev/null || fail "the library for aarch64 does not verify"
	fi
}

case_libraries_of_the_system() {
	echo "libraries of the system"
	rm -f relaid/*
	libraries=$(ldd /usr/bin/python3 "$(/usr/bin/python3 -c 'import _ssl; print(_ssl.__file__)')" |
		sed -n 's/.*=> \([^ ]*\) .*/\1/p' | grep -v -e /libc.so -e /libm.so | sort -u | xargs -r realpath | sort -u)
	libraries="$libraries $(ldd ./program | sed -n 's/.*=> \(.*libstdc++[^ ]*\) .*/\1/p' | xargs realpath)"
	# shellcheck disable=SC2086
	relayout $libraries
	packed=0
	for library in $libraries; do
		name=${library##*/}
		soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
		did "$name" relr && packed=$((packed + 1))
		# Tools that do not load the file see the original.
		readelf -dVW "$library" >"$name.a" 2>&1
		readelf -dVW "relaid/$name" >"$name.b" 2>&1
		cmp "$name.a" "$name.b" || fail "readelf sees another '$name'"
		ldd -r "$library" 2>&1 | sed 's/(0x.*//' | sort >"$name.a"
		ldd -r "relaid/$name" 2>&1 | sed 's/(0x.*//' | sort >"$name.b"
		cmp "$name.a" "$name.b" || fail "ldd -r of '$name' says otherwise"
		[ "$name" = "$soname" ] || ln -sf "$name" "relaid/$soname"
	done
	[ $packed -ge 3 ] || fail "$packed libraries are packed"
	LD_LIBRARY_PATH=relaid:. ./program >after
	cmp before after || fail "with a relaid libstdc++ the program runs otherwise"
	script='import hashlib, ssl, zlib
ssl.create_default_context()
print(ssl.OPENSSL_VERSION, hashlib.sha256(b"x").hexdigest(), zlib.crc32(b"x"))
print(sum("/relaid/" in line for line in open("/proc/self/maps")) > 0)'
	LD_LIBRARY_PATH=$tmp/relaid /usr/bin/python3 -c "$script" >after 2>&1 || fail "python does not run: $(cat after)"
	tail -n 1 after | grep -q True || fail "python does not use the relaid libraries"
	/usr/bin/python3 -c "$script" >before
	[ "$(head -n 1 before)" = "$(head -n 1 after)" ] || fail "python computes otherwise"
	! LD_DEBUG=versions LD_LIBRARY_PATH=$tmp/relaid /usr/bin/python3 -c 'import ssl' 2>&1 |
		grep -i -e 'no version information' -e 'not found' || fail "versions are missing"
	/sbin/ldconfig -N -n -v "$tmp/relaid" >ldconfig.out 2>&1 || fail "ldconfig fails: $(cat ldconfig.out)"
	! grep '^/sbin/ldconfig' ldconfig.out || fail "ldconfig complains"
}

# What brings a loader, or a libc, of its own may not know packed relocations, whatever the system's libc does.
case_own_loader_and_libc() {
	loader=$(readlink -f /lib64/ld-linux-x86-64.so.2) && [ -e "$loader" ] || { untried "another loader" && return 0; }
	mkdir own
	cp "$loader" own/loader
	cp "$libc" own/libc.so.6
	sed -i "s/$relr_version/XLIBC_ABI_DT_RELR/g" own/libc.so.6
	gcc -O1 -fPIE -pie -Wl,--build-id -Wl,--dynamic-linker="$tmp/own/loader" -Wl,-rpath,"$tmp/own" -o bringing "$here/relr-sample.c" \
		-x c - <<-'END' || fail "it does not link"
			#include <stdio.h>
			int main(void) { return puts("runs") < 0; }
		END
	relayout "$tmp/bringing"
	did bringing relr && fail "it is packed though it brings its own loader"
	[ "$(relaid/bringing)" = runs ] || fail "it does not run"
	# By the profile, which names the libc: a library is not told otherwise.
	gcc -O0 -fPIC -shared -Wl,-soname,libsample.so -Wl,--build-id -o libsample.so "$here/relr-sample.c" || fail "no library"
	printf 'program %s/bringing\nfile regular %s/libsample.so\nrange 1 2 1 1\nfile regular %s/own/libc.so.6\nrange 0 1 3 1\n' "$tmp" "$tmp" "$tmp" |
		"$make_profile" profile
	"$headstart" relayout --profile profile --all --json -o relaid "$tmp/libsample.so" >said/libsample.so || fail "it is not relaid"
	did libsample.so relr && fail "it is packed though its program has an older libc"
	relayout "$tmp/libsample.so"
	did libsample.so relr || fail "the sample cannot be packed"
}

# ldconfig looks for the soname at its distance from the beginning of the strings, which a start touches. Between the two
# there are pages that it does not touch.
case_ldconfig_finds_the_soname() {
	mkdir names
	for i in $(seq 300); do
		echo "int function_with_quite_a_long_name_number_$i(void) { return $i; }"
	done >names.c
	gcc -O1 -fPIC -shared -Wl,-soname,libnames.so.1 -o libnames.so.1 names.c || fail "the library does not link"
	relayout "$tmp/libnames.so.1"
	cp relaid/libnames.so.1 names
	/sbin/ldconfig -N -n -v "$tmp/names" >ldconfig.out 2>&1 || fail "ldconfig fails: $(cat ldconfig.out)"
	grep -q 'libnames.so.1 -> libnames.so.1' ldconfig.out || fail "ldconfig does not find the soname: $(cat ldconfig.out)"
}

case_gdb() {
	echo "gdb"
	if ! gdb -nx -batch -ex run ./program >/dev/null 2>&1; then
		untried "gdb, which does not work here"
	else
		LD_LIBRARY_PATH=relaid:. gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break sample_check' -ex run -ex backtrace -ex 'info sharedlibrary' \
			./program >gdb.out 2>&1
		grep -q '#0 .*sample_check' gdb.out || fail "gdb does not stop: $(cat gdb.out)"
		grep -q '#1 .*main' gdb.out || fail "gdb has no backtrace: $(cat gdb.out)"
		grep -q 'Yes.*relaid/libstdc++' gdb.out || fail "gdb does not see the library: $(cat gdb.out)"
	fi
}

run_cases
