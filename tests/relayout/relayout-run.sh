#!/bin/sh
# Programs and libraries of each linker and kind are relaid with random hot pages, and work as before.
. "$HEADSTART_TEST_SOURCE/tests/relayout/subject-lib.sh"
compile_subject

output_of() {
	(cd "$1" && LD_LIBRARY_PATH=. timeout 600 ./program ./library.so) 2>&1 || fail "$1: exits $?"
}

# check NAME FILE…: the files of the folder NAME.
check() {
	name=$1
	shift
	seed=$(($(printf %s "$name" | cksum | cut -d ' ' -f 1) % 1000)) # so that other pages are hot each time
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

# link FILE FLAGS… OBJECT…: links into the folder $name. If the linker is missing or lacks the option, the case is untried.
link() {
	g++ -o "$tmp/$name/$@" 2>"$tmp/err" && return
	untried "$name: $(head -n 1 "$tmp/err")"
	return 1
}

# dynamic NAME FLAGS…: makes a library, and a PIE that uses it.
dynamic() {
	name=$1
	shift
	mkdir "$tmp/$name"
	link library.so -shared -Wl,-soname,library.so "$@" "$tmp/pic/library.o" || return 0
	link program -pie "$@" "$tmp/pic/program.o" "$tmp/$name/library.so" || return 0
	check "$name" program library.so
}

# executable NAME FLAGS… OBJECT…: links all into one file.
executable() {
	name=$1
	shift
	mkdir "$tmp/$name"
	link program "$@" || return 0
	check "$name" program
}

# Removes the section headers of files, and what only these lead to.
drop_sections() {
	for file; do
		end=0
		for load in $(readelf -lW "$file" | awk '/LOAD/ { print $2 "+" $5 }'); do
			[ $((${load%+*} + ${load#*+})) -le $end ] || end=$((${load%+*} + ${load#*+}))
		done
		truncate -s $end "$file"
		poke "$file" 40 '\0\0\0\0\0\0\0\0'
		poke "$file" 60 '\0\0\0\0'
	done
}

case_bfd() { dynamic bfd; }
case_bfd_in_one_piece() { dynamic bfd-noseparate -Wl,-z,noseparate-code; }
case_bfd_with_pages_of_2_mib() { dynamic bfd-2M -Wl,-z,max-page-size=0x200000; }
case_bfd_with_relr() { dynamic bfd-relr -Wl,-z,pack-relative-relocs; }
case_bfd_without_relro() { dynamic bfd-now-norelro -Wl,-z,now,-z,norelro; }
case_gold() { dynamic gold -fuse-ld=gold; }
case_lld() { dynamic lld -fuse-ld=lld; }
case_lld_with_relr() { dynamic lld-relr -fuse-ld=lld -Wl,-z,pack-relative-relocs; }
case_lld_with_gaps() { dynamic lld-gaps -fuse-ld=lld -Wl,-z,separate-loadable-segments,-z,max-page-size=0x10000; }
case_mold() { dynamic mold -fuse-ld=mold; }
case_executable_at_a_fixed_address() { executable nopie -no-pie "$tmp/nopic/program.o" "$tmp/nopic/library.o"; }
case_executable_of_lld_at_a_fixed_address() { executable nopie-lld -no-pie -fuse-ld=lld "$tmp/nopic/program.o" "$tmp/nopic/library.o"; }
case_static_executable() { executable static -static "$tmp/nopic/program.o" "$tmp/nopic/library.o"; }
case_static_pie() { executable static-pie -static-pie "$tmp/pic/program-static.o" "$tmp/pic/library.o"; }

case_file_without_sections() {
	name=no-sections
	mkdir "$tmp/$name"
	cp "$tmp/bfd/program" "$tmp/bfd/library.so" "$tmp/$name"
	drop_sections "$tmp/$name/program" "$tmp/$name/library.so"
	check $name program library.so
}

case_stripped_file() {
	name=stripped
	mkdir "$tmp/$name"
	strip -o "$tmp/$name/program" "$tmp/bfd/program"
	strip -o "$tmp/$name/library.so" "$tmp/bfd/library.so"
	check $name program library.so
}

# As many PT_LOADs as possible: before Linux 6.17 the kernel takes 73 program headers of an executable.
case_as_many_segments_as_can_be_had() {
	name=many
	echo 'const char padding[4 << 20] = {1};' >"$tmp/padding.c"
	relayout_args='--max-segments 4096'
	executable $name -static "$tmp/nopic/program.o" "$tmp/nopic/library.o" "$tmp/padding.c"
	headers=$(readelf -hW "$tmp/$name/new/program" | awk '/Number of program headers/ { print $5 }')
	[ "$headers" -ge 30 ] && [ "$headers" -le 73 ] || fail "an executable of $headers program headers"
}

case_two_more_segments() {
	name=few
	mkdir "$tmp/$name"
	cp "$tmp/bfd/program" "$tmp/bfd/library.so" "$tmp/$name"
	relayout_args='--max-segments 2'
	check $name program library.so
}

frames() {
	(cd "$1" && LD_LIBRARY_PATH=. gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set confirm off' \
		-ex 'break main' -ex run \
		-ex 'break library.cc:throws_at if depth == 17' -ex continue -ex bt ./program 2>&1) |
		sed -n 's/^#\([0-9]*\)  *\(0x[0-9a-f]* in \)\{0,1\}/#\1 /p' | sed 's/argv=[^)]*//'
}

# A relaid program runs under gdb, which finds its frames by the unchanged unwind tables.
case_gdb_sees_the_same_frames() {
	have gdb || return 0
	frames "$tmp/bfd" >"$tmp/before"
	frames "$tmp/bfd/new" >"$tmp/after"
	grep -q '#4 main ' "$tmp/before" || fail "gdb does not see the original's frames: $(cat "$tmp/before")"
	cmp "$tmp/before" "$tmp/after" || fail "gdb sees other frames: $(diff "$tmp/before" "$tmp/after")"
	echo "ok gdb: $(wc -l <"$tmp/after") frames"
}

run_cases
