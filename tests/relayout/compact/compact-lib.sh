# Shared by the tests of compacted files, which source it with COMPACT-FILE as their first argument.
compact_file=$1
for tool in c++ objdump readelf nm strip objcopy; do
	command -v $tool >/dev/null || skip "no $tool"
done
source=$HEADSTART_TEST_SOURCE/tests/relayout/compact/sample.cc

build() { # NAME LINKER ARGS…
	name=$1 linker=$2
	shift 2
	c++ -O1 -g -fuse-ld="$linker" -o "$tmp/$name" "$source" "$@" 2>"$tmp/err" || fail "c++ $*: $(cat "$tmp/err")"
}

# Disassembly without the names that the tool guesses for addresses, which depend on sections.
code() {
	objdump -d --no-show-raw-insn "$1" | grep -E '^ +[0-9a-f]+:' | sed 's/#.*//; s/<[^>]*>//; s/[[:space:]]*$//'
}

# Symbols and addresses, without those of notes, which have moved.
symbols() {
	nm "$1" | grep -v __abi_tag
}

# The output of eu-elflint without the numbers of sections and symbols, and without what it does not know.
lint() {
	eu-elflint --gnu-ld "$1" | sed 's/\[ *[0-9]*\]//g; s/symbol [0-9]*//g; s/^No errors$//' |
		grep -v -e "with owner name 'headstart'" -e "'.relr.dyn' has wrong type" | sort -u
}

# run FILE LIBRARY: either may be compacted.
run() {
	"$1" "$2" 2>&1 || echo "exit $?"
}

check_strip() { # COMPACTED
	for tool in strip "strip -g" eu-strip llvm-strip; do
		have ${tool%% *} || continue
		cp "$1" "$1.stripped"
		$tool "$1.stripped" 2>"$tmp/err" || fail "$tool $kind: $(cat "$tmp/err")"
		[ ! -s "$tmp/err" ] || fail "$tool $kind says $(cat "$tmp/err")"
		[ "$(run_as "$1.stripped")" = "$want" ] || fail "$kind, compacted, then $tool: $(run_as "$1.stripped")"
		case $tool in strip*)
			[ "$(hot_first "$1.stripped")" = "$(hot_first "$1")" ] || fail "$tool $kind: another order of segments" ;;
		esac
	done
}

# The addresses of PT_LOADs in the order of their file offsets.
hot_first() {
	readelf -lW "$1" | awk '$1 == "LOAD" {print $2, $3}' | sort | cut -d' ' -f2
}

check_debug_files() { # COMPACTED
	objcopy --only-keep-debug "$1" "$1.debug" 2>"$tmp/err" && [ ! -s "$tmp/err" ] ||
		fail "objcopy --only-keep-debug $kind: $(cat "$tmp/err")"
	have eu-strip || return 0
	eu-strip -f "$1.eu-debug" -o "$1.bare" "$1" || fail "eu-strip -f $kind"
	for debug in "$1.debug" "$1.eu-debug"; do
		eu-unstrip -o "$1.whole" "$1.bare" "$debug" 2>"$tmp/err" || fail "eu-unstrip $kind: $(cat "$tmp/err")"
		chmod +x "$1.whole"
		[ "$(run_as "$1.whole")" = "$want" ] || fail "$kind, compacted, stripped, unstripped"
	done
}

check_tools() { # ORIGINAL COMPACTED
	code "$1" >"$tmp/a"
	code "$2" >"$tmp/b"
	[ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b" || fail "objdump -d $kind: $(diff "$tmp/a" "$tmp/b" | head -4)"
	symbols "$1" >"$tmp/a"
	symbols "$2" >"$tmp/b"
	cmp "$tmp/a" "$tmp/b" || fail "nm $kind: $(diff "$tmp/a" "$tmp/b" | head -4)"
	readelf -aW "$1" 2>&1 >/dev/null | sort -u >"$tmp/a"
	readelf -aW "$2" 2>&1 >/dev/null | sort -u >"$tmp/b"
	[ -z "$(comm -13 "$tmp/a" "$tmp/b")" ] || fail "readelf $kind: $(comm -13 "$tmp/a" "$tmp/b")"
	have eu-elflint || return 0
	lint "$1" >"$tmp/a"
	lint "$2" >"$tmp/b"
	[ -z "$(comm -13 "$tmp/a" "$tmp/b")" ] || fail "eu-elflint $kind: $(comm -13 "$tmp/a" "$tmp/b")"
}

check_gdb() { # COMPACTED PROGRAM
	have gdb || return 0
	gdb -q -batch -ex 'break step<150>' -ex run -ex backtrace "$1" >"$tmp/gdb" 2>&1 || true
	grep -q '^#0 .*step<150> (a=.*151)' "$tmp/gdb" && grep -q '^#[0-9]* .*main (' "$tmp/gdb" ||
		fail "gdb $kind: $(head -20 "$tmp/gdb")"
}

check() { # ORIGINAL COMPACTED
	kind=$(basename "$2")
	[ "$(run_as "$1")" = "$want" ] || fail "the original of $kind does not work: $(run_as "$1")"
	[ "$(run_as "$2")" = "$want" ] || fail "$kind: $(run_as "$2")"
	for section in .text .rodata .data; do
		case $section$kind in .rodata*gold*) continue ;; esac # one segment with the code, with which it stays
		[ "$(readelf -SW "$2" | grep -cE " $section\.(hot|cold) ")" -gt 2 ] || fail "$kind: $section was not split"
	done
	more=32768
	case $kind in *gold*) more=131072 ;; esac # the sections before the code leave a gap
	[ "$(stat -c %s "$2")" -le $(($(stat -c %s "$1") + more)) ] || fail "$kind: grew to $(stat -c %s "$2")"
	check_tools "$1" "$2"
	check_strip "$2"
	check_debug_files "$2"
}

compact() { # ORIGINAL COMPACTED ARGS…
	"$compact_file" "$@" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
	chmod +x "$2"
}
