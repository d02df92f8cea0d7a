#!/bin/sh
# Programs and libraries of each linker and kind are relaid, some of their pages hot at random, and do what they did.
. "$HEADSTART_TEST_SOURCE/tests/layout/subject-lib.sh"
compile_subject
seed=1

output_of() {
	(cd "$1" && LD_LIBRARY_PATH=. timeout 600 ./program ./library.so) 2>&1 || fail "$1: exits $?"
}

# check NAME FILE…: the files of the folder NAME.
check() {
	name=$1
	shift
	seed=$((seed + 1))
	(cd "$tmp/$name" && random_profile profile $seed 25 "$@" && relayout_files "$@") || exit 1
	output_of "$tmp/$name" >"$tmp/before"
	output_of "$tmp/$name/new" >"$tmp/after"
	grep -q 'caught: thrown in the library' "$tmp/before" || fail "$name: the original does not run: $(cat "$tmp/before")"
	grep -q 'AT_PHDR right, __ehdr_start right' "$tmp/before" || fail "$name: the original has another AT_PHDR"
	cmp "$tmp/before" "$tmp/after" || fail "$name: relaid, it does something else: $(diff "$tmp/before" "$tmp/after")"
	echo "ok $name: $(cat "$tmp/$name"/new/* | wc -c) bytes, PT_LOADs$(for file; do
		readelf -lW "$tmp/$name/new/$file" | grep -c LOAD
	done | tr '\n' ' ' | sed 's/^/ /')"
}

# link FILE FLAGS… OBJECT…: into the folder $name; a linker that is missing, or has no such option, is passed over.
link() {
	g++ -o "$tmp/$name/$@" 2>"$tmp/err" && return
	echo "not tested: $name: $(head -n 1 "$tmp/err")"
	return 1
}

# dynamic NAME FLAGS…: a library, and a PIE that uses it.
dynamic() {
	name=$1
	shift
	mkdir "$tmp/$name"
	link library.so -shared -Wl,-soname,library.so "$@" "$tmp/pic/library.o" || return 0
	link program -pie "$@" "$tmp/pic/program.o" "$tmp/$name/library.so" || return 0
	check "$name" program library.so
}

# executable NAME FLAGS… OBJECT…: all in one file.
executable() {
	name=$1
	shift
	mkdir "$tmp/$name"
	link program "$@" || return 0
	check "$name" program
}

# Makes files ones without section headers, and without what only these lead to.
drop_sections() {
	for file; do
		end=0
		for load in $(readelf -lW "$file" | awk '/LOAD/ { print $2 "+" $5 }'); do
			[ $((${load%+*} + ${load#*+})) -le $end ] || end=$((${load%+*} + ${load#*+}))
		done
		truncate -s $end "$file"
		printf '\0\0\0\0\0\0\0\0' | dd of="$file" bs=1 seek=40 conv=notrunc status=none
		printf '\0\0\0\0' | dd of="$file" bs=1 seek=60 conv=notrunc status=none
	done
}

dynamic bfd
dynamic bfd-noseparate -Wl,-z,noseparate-code
dynamic bfd-2M -Wl,-z,max-page-size=0x200000
dynamic bfd-relr -Wl,-z,pack-relative-relocs
dynamic bfd-now-norelro -Wl,-z,now,-z,norelro
dynamic gold -fuse-ld=gold
dynamic lld -fuse-ld=lld
dynamic lld-relr -fuse-ld=lld -Wl,-z,pack-relative-relocs
dynamic lld-gaps -fuse-ld=lld -Wl,-z,separate-loadable-segments,-z,max-page-size=0x10000
dynamic mold -fuse-ld=mold
executable nopie -no-pie "$tmp/nopic/program.o" "$tmp/nopic/library.o"
executable nopie-lld -no-pie -fuse-ld=lld "$tmp/nopic/program.o" "$tmp/nopic/library.o"
executable static -static "$tmp/nopic/program.o" "$tmp/nopic/library.o"
executable static-pie -static-pie "$tmp/pic/program-static.o" "$tmp/pic/library.o"

name=no-sections
mkdir "$tmp/$name"
cp "$tmp/bfd/program" "$tmp/bfd/library.so" "$tmp/$name"
drop_sections "$tmp/$name/program" "$tmp/$name/library.so"
check $name program library.so
name=stripped
mkdir "$tmp/$name"
strip -o "$tmp/$name/program" "$tmp/bfd/program"
strip -o "$tmp/$name/library.so" "$tmp/bfd/library.so"
check $name program library.so

# As many PT_LOADs as can be had: of an executable the kernel takes 73 program headers, before 6.17.
name=many
echo 'const char padding[4 << 20] = {1};' >"$tmp/padding.c"
relayout_args='--max-segments 4096'
executable $name -static "$tmp/nopic/program.o" "$tmp/nopic/library.o" "$tmp/padding.c"
headers=$(readelf -hW "$tmp/$name/new/program" | awk '/Number of program headers/ { print $5 }')
[ "$headers" = 72 ] || [ "$headers" = 73 ] || fail "an executable of $headers program headers"
name=few
mkdir "$tmp/$name"
cp "$tmp/bfd/program" "$tmp/bfd/library.so" "$tmp/$name"
relayout_args='--max-segments 2'
check $name program library.so

# A program that is relaid runs under gdb, which goes through its frames by the unwind tables that it always had.
have gdb || exit 0
frames() {
	(cd "$1" && LD_LIBRARY_PATH=. gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set confirm off' \
		-ex 'break main' -ex run \
		-ex 'break library.cc:throws_at if depth == 17' -ex continue -ex bt ./program 2>&1) |
		sed -n 's/^#\([0-9]*\)  *\(0x[0-9a-f]* in \)\{0,1\}/#\1 /p' | sed 's/argv=[^)]*//'
}
frames "$tmp/bfd" >"$tmp/before"
frames "$tmp/bfd/new" >"$tmp/after"
grep -q '#4 main ' "$tmp/before" || fail "gdb does not see the original's frames: $(cat "$tmp/before")"
cmp "$tmp/before" "$tmp/after" || fail "gdb sees other frames: $(diff "$tmp/before" "$tmp/after")"
echo "ok gdb: $(wc -l <"$tmp/after") frames"
