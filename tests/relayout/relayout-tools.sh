#!/bin/sh
# Programs run with relaid libraries, those of C and C++ among them, under valgrind, gdb and perf; exceptions and backtraces cross
# them. Of each function that a symbol table names, all pages are mapped together.
. "$HEADSTART_TEST_SOURCE/tests/relayout/subject-lib.sh"
command -v g++ >/dev/null || skip 'needs g++'
cd "$tmp"
write_bulk
cat >lib.cc <<'XX'
#include <execinfo.h>
#include <stdexcept>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "bulk.inc"

template <int N> __attribute__((noinline)) static void large(void) // larger than a page, and no dynamic symbol
{
	asm volatile(".skip 6000, 0x90" : : "r"(N));
	if constexpr (N > 0)
		large<N - 1>();
}

extern "C" uint64_t sum(void)
{
	uint64_t sum = 0;
	large<20>();
	for (int i = 0; i < BULK; i++)
		sum += bulk_table[i](i);
	return sum;
}

extern "C" __attribute__((noinline)) void fail_at(int depth)
{
	if (depth == 0)
		throw std::runtime_error("thrown");
	fail_at(depth - 1);
	puts("never");
}

extern "C" __attribute__((noinline)) int walk(int depth, int (*unwind)(void **, int))
{
	void *frames[64];
	return depth > 0 ? walk(depth - 1, unwind) + 0 * depth : unwind(frames, 64);
}

extern "C" void leak(void)
{
	printf("%d\n", malloc(77) != NULL);
}

extern "C" __attribute__((noinline)) uint64_t spin(uint64_t n)
{
	volatile uint64_t x = 1;
	while (n--)
		x = x * 7 + 3;
	return x;
}
XX
cat >main.cc <<'XX'
#include <dlfcn.h>
#include <execinfo.h>
#include <exception>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
extern "C" uint64_t sum(void), spin(uint64_t);
extern "C" void fail_at(int), leak(void);
extern "C" int walk(int, int (*)(void **, int));

int main(int argc, char **argv)
{
	void *libunwind = getenv("PLAIN") ? NULL : dlopen("libunwind.so.8", RTLD_NOW);
	void *other = libunwind ? dlsym(libunwind, "unw_backtrace") : NULL;

	if (argc > 1)
		return printf("%d\n", spin(strtoull(argv[1], NULL, 0)) != 0) < 0;
	try {
		fail_at(9);
	} catch (const std::exception &e) {
		puts(e.what());
	}
	leak();
	printf("%d frames, %d by libunwind\n", walk(9, backtrace) >= 11,
		other ? walk(9, (int (*)(void **, int))other) >= 11 : -1);
	return printf("%llx\n", (unsigned long long)sum()) < 0;
}
XX
g++ -g -O1 -std=c++17 -shared -fPIC -I. lib.cc -Wl,-soname,libsum.so -Wl,--build-id -o libsum.so
g++ -g -fPIE -pie main.cc ./libsum.so -ldl -o program
mkdir system new
for library in $(LD_TRACE_LOADED_OBJECTS=1 ./program | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p') \
	$(ldconfig -p | awk '/^\tlibunwind.so.8 / { print $NF; exit }'); do
	cp -L "$library" system
done
random_profile profile 1 30 program libsum.so system/*
"$headstart" relayout --profile profile -o new --all libsum.so program system/*
want=$(LD_LIBRARY_PATH=. ./program)

# under COMMAND…: the command runs the program with relaid libraries.
under() {
	LD_LIBRARY_PATH=$tmp/new "$@" >"$tmp/out" 2>"$tmp/err" || fail "'$*' exited $?: $(cat "$tmp/err")"
}

case_every_file_is_relaid_and_what_it_was() {
	"$headstart" undo --dry-run new/* >/dev/null || fail 'a file is not relaid'
	"$headstart" verify new/* >/dev/null || fail 'verify'
}

case_exceptions_and_backtraces_cross_them() {
	under new/program
	[ "$(cat out)" = "$want" ] || fail "it prints $(cat out), not $want"
	grep -q '^1 frames, -*1 by libunwind$' out || fail "frames are missing: $(cat out)"
	! grep -q -e -1 out || untried 'no libunwind.so.8'
}

# Symbols of functions, and the PT_LOADs that map them: cut_functions FILE [SYMBOLS] prints those that several map.
cut_functions() {
	{
		readelf -lW "$1" 2>/dev/null | awk '$1 == "LOAD" && / R E /{ print "load", $3, $6 }'
		readelf -sW "${2:-$1}" 2>/dev/null | awk '$4 == "FUNC" && $7 != "UND" { print "function", $2, $3, $8 }'
	} >layout
	python3 - layout <<'PY'
import sys
loads = []
for line in open(sys.argv[1]):
    kind, start, size, *name = line.split()
    start, size = int(start, 16), int(size, 0)
    if kind == "load":
        loads.append((start, start + size))
    elif size and any(a <= start < b for a, b in loads) and not any(a <= start and start + size <= b for a, b in loads):
        print(name)
assert loads
PY
}

case_functions_are_mapped_whole() {
	for file in new/*; do
		cut=$(cut_functions "$file")
		[ -z "$cut" ] || fail "of $file: $cut"
	done
}

case_functions_may_be_divided_if_asked_for() {
	"$headstart" relayout --profile profile -o split.so --all --cut-functions libsum.so >/dev/null || fail "relayout: $?"
	"$headstart" verify split.so >/dev/null || fail "verify: $?"
	[ -n "$(cut_functions split.so)" ] || fail "no function is divided"
	refuses 2 "leave out --cut-functions" "$headstart" relayout --profile profile -o split.so --compact --cut-functions libsum.so
}

# Relays out tree/libsum.so, which is stripped, to tree.so.
relayout_in_tree() {
	"$headstart" relayout --profile stripped --tree tree -o tree.so --all /libsum.so >/dev/null || fail "relayout $1"
	"$headstart" verify tree.so >/dev/null || fail "verify $1"
}

keeps_whole() {
	relayout_in_tree "$1"
	[ -z "$(cut_functions tree.so libsum.so)" ] || fail "$1: cut: $(cut_functions tree.so libsum.so)"
}
cuts() {
	relayout_in_tree "$1"
	[ -n "$(cut_functions tree.so libsum.so)" ] || fail "$1: no function is cut"
}

# Makes the library in the tree, which is stripped; the debug file of it, `good`; and the path of that in the tree, `debug`.
make_tree() {
	id=$(readelf -nW libsum.so | sed -n 's/.*Build ID: //p')
	debug=tree/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
	rm -rf tree
	mkdir -p "${debug%/*}"
	objcopy --only-keep-debug libsum.so good
	strip -o tree/libsum.so libsum.so
	objcopy --add-gnu-debuglink=good tree/libsum.so
	random_profile stripped 1 30 tree/libsum.so
	cuts 'without a debug file'
}

case_functions_of_installed_debug_files_are_mapped_whole() {
	make_tree
	cp good "$debug"
	keeps_whole 'with a debug file'
	for size in 0 10 63 64 1000; do
		head -c $size good >"$debug"
		cuts "with $size bytes of a debug file"
	done
	head -c $(($(stat -c %s good) - 1)) good >"$debug"
	relayout_in_tree 'with a debug file without its last byte'
	for offset in 0 4 5 40 47; do # of the ELF header: e_shoff is at 40; libelf does not need e_shentsize
		cp good "$debug"
		poke "$debug" $offset '\377'
		cuts "with a debug file that is damaged at $offset"
	done
	rm "$debug"
	mkfifo "$debug"
	cuts 'with a FIFO for a debug file'
}

case_debug_files_of_other_builds_do_not_count() {
	make_tree
	python3 - good "$id" "$debug" <<'PY'
import sys
data, build_id = bytearray(open(sys.argv[1], "rb").read()), bytes.fromhex(sys.argv[2])
assert data.count(build_id) == 1
data[data.index(build_id)] ^= 1
open(sys.argv[3], "wb").write(data)
PY
	cuts 'with a debug file of another build-id'
	cp good "$debug"
	poke "$debug" 18 '\267' # e_machine
	cuts 'with a debug file for another processor'
	cp good "$debug"
	keeps_whole 'with the debug file'
}

case_debug_files_are_found_by_link_and_in_the_cache() {
	make_tree
	for place in tree tree/.debug tree/usr/lib/debug; do
		mkdir -p $place
		cp good $place
		keeps_whole "with a debug file in $place"
		printf x >>$place/good
		cuts "with a debug file in $place that has another checksum"
		rm $place/good
	done
	# Of another system, the cache here says nothing.
	mkdir -p "cache/$id"
	cp good "cache/$id/debuginfo"
	DEBUGINFOD_CACHE_PATH="$(pwd -P)/cache" cuts 'with a cache'
	DEBUGINFOD_CACHE_PATH="$(pwd -P)/cache" "$headstart" relayout --profile stripped -o tree.so --all tree/libsum.so >/dev/null ||
		fail 'relayout with a cache'
	[ -z "$(cut_functions tree.so libsum.so)" ] || fail "with a cache: cut: $(cut_functions tree.so libsum.so)"
}

case_valgrind_runs_them() {
	have valgrind || return 0
	want=$(PLAIN=1 LD_LIBRARY_PATH=. ./program) # libunwind passes uninitialised bytes to the kernel
	under env PLAIN=1 valgrind --leak-check=full --num-callers=20 new/program
	[ "$(cat out)" = "$want" ] || fail "it prints $(cat out), not $want"
	grep -q 'ERROR SUMMARY: 1 errors from 1 contexts' err || fail "not just the leak: $(cat err)"
	grep -q 'by 0x[0-9A-F]*: leak (lib.cc:' err || fail "it does not find the line of the leak: $(cat err)"
}

# gdb warns of sections that lie in several PT_LOADs (man/headstart-relayout.1.scd says so), and works.
case_gdb_finds_its_way() {
	have gdb || return 0
	under gdb --batch -nx -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'break leak' -ex run -ex bt \
		-ex 'info symbol sum' -ex finish -ex continue --args new/program
	grep -q '#0  leak () at lib.cc:' out || fail "the breakpoint: $(cat out err)"
	grep -q '#1  0x[0-9a-f]* in main (argc=1, argv=0x[0-9a-f]*) at main.cc:' out || fail "the backtrace: $(cat out err)"
	grep -q '^sum in section .text of' out || fail "the symbol: $(cat out err)"
	grep -q '^main (argc=1, argv=0x[0-9a-f]*) at main.cc:' out || fail "finish: $(cat out err)"
	[ "$(grep -c '^thrown$' out)" = 1 ] || fail "the exception: $(cat out err)"
}

case_perf_names_functions_of_relaid_libraries() {
	have perf || return 0
	perf record -q -e cpu-clock -o try -- true >/dev/null 2>&1 || {
		untried 'perf may not record here'
		return 0
	}
	under env HOME="$tmp" perf record -q -B -e cpu-clock -o data -- new/program 30000000
	env HOME="$tmp" perf report -i data --stdio --sort symbol >out 2>err || fail "perf report: $(cat err)"
	grep -qE '[0-9]+\.[0-9]+% .*\[\.\] spin' out || fail "perf does not name the function: $(head -n 20 out)"
}

# The offsets of a function in a relaid file, by its section headers and by its program headers, for one whose copy is executed.
hot_function() { # FILE
	{
		readelf -SW "$1" 2>/dev/null | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".text" { print "section", $3, $4, $5 }'
		readelf -lW "$1" 2>/dev/null | awk '$1 == "LOAD" { print "segment", $3, $2, $5 }'
		readelf -sW "$1" 2>/dev/null | awk '$4 == "FUNC" && $8 ~ /^_ZL?[0-9]*f[0-9]+i$/ { print "function", $2, 0, 0 }'
	} >layout
	python3 - layout <<'PY'
import sys
lines = [line.split() for line in open(sys.argv[1])]
def offset(kind, address):
    for start, at, size in ((int(word, 16) for word in words[1:]) for words in lines if words[0] == kind):
        if start <= address < start + size:
            return address - start + at
for words in lines:
    if words[0] == "function":
        by_section, by_segment = (offset(kind, int(words[1], 16)) for kind in ("section", "segment"))
        if by_section != by_segment:
            print(by_section, by_segment)
            break
PY
}

# man/headstart-relayout.1.scd says so. The control: the same place in the original is hit.
case_uprobes_in_hot_code_need_an_offset_by_program_headers() {
	hot_function new/libsum.so >places
	read -r by_section by_segment <places || fail 'no function is executed from its copy'
	hits() { # FOLDER OFFSET
		LD_LIBRARY_PATH=$tmp/$1 "$HEADSTART_TEST_BUILD/tests/relayout/uprobe-hits" "$1/libsum.so" "$2" env PLAIN=1 ./program >out || return $?
		tail -n 1 out
	}
	hits . "$by_section" >count || {
		[ $? = 77 ] || fail "uprobe-hits exited $?"
		untried 'no uprobes can be set here'
		return 0
	}
	[ "$(cat count)" = 1 ] || fail "in the original: $(cat count) hits"
	[ "$(hits new "$by_section")" = 0 ] || fail 'by section headers it fires: the manual page says that it does not'
	[ "$(hits new "$by_segment")" = 1 ] || fail 'by program headers it does not fire'
}

run_cases
