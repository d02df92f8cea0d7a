#!/bin/sh
# The build enforces the arrows between the folders of src: an include against an arrow does not compile.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
layers=$HEADSTART_TEST_BUILD/src/layers

# compiles LAYER HEADER [ARGUMENTS-OF-CC...]
compiles() {
	layer=$1 included=$2
	shift 2
	printf '#include "%s"\n' "$included" | cc -D_GNU_SOURCE -include "$HEADSTART_TEST_BUILD/config.h" \
		-I"$layers/$layer" "$@" -fsyntax-only -x c - 2>"$tmp/err"
}

# Whether it is the arrow that forbids it: what was renamed away does not compile either.
refuses_include() { # LAYER HEADER
	[ -e "$HEADSTART_TEST_SOURCE/src/$2" ] || fail "there is no $2"
	! compiles "$1" "$2"
}

case_includes_along_the_arrows_compile() {
	compiles plan device/device.h || fail "plan may include device: $(cat "$tmp/err")"
	compiles plan plan/build/build.h || fail "plan may include itself: $(cat "$tmp/err")"
	compiles verify relaid/undo.h || fail "verify may include relaid: $(cat "$tmp/err")"
	compiles record-names record/events/trace.h || fail "names of a recording may include its events: $(cat "$tmp/err")"
	compiles relayout-compact relayout/passes/image.h || fail "compaction may include what passes work on: $(cat "$tmp/err")"
}

case_includes_against_the_arrows_do_not() {
	refuses_include base plan/build/build.h || fail "base could include plan"
	refuses_include base replace/publish.h || fail "base could include what replaces files"
	refuses_include prefetch profile/profile.h || fail "prefetch could include profile"
	refuses_include format base/files/io.h || fail "format could include base"
	refuses_include verify relayout/passes/image.h || fail "verify could include the writer that it verifies"
	refuses_include relayout-passes relayout/compact/compact.h || fail "passes could include compaction"
	refuses_include plan-store plan/build/build.h || fail "the store could include what builds plans"
	refuses_include plan-build plan/asked/asked.h || fail "what builds plans could include what starts ask for"
	refuses_include record-events record/names/opens.h || fail "events could include names"
	refuses_include record-command record/events/trace.h || fail "the recorded command could include events"
	refuses_include relayout-compact relayout/refuse.h || fail "compaction could include what uses it"
	! grep -rn '#include "\(.*/\)\?\.\./' "$HEADSTART_TEST_SOURCE/src" || fail "a relative path could lead past the arrows"
}

shim_compiles() {
	compiles "../../ldpreload/rooms/$1" "$2" -I"$layers/format" -I"$HEADSTART_TEST_SOURCE/ldpreload/arch/$(uname -m)"
}

shim_refuses() { # ROOM HEADER
	[ -e "$HEADSTART_TEST_SOURCE/ldpreload/$2" ] || fail "there is no $2"
	! shim_compiles "$1" "$2"
}

case_shims_include_along_the_arrows_only() {
	[ -d "$HEADSTART_TEST_BUILD/ldpreload/rooms" ] || return 0 # no shims for this architecture
	shim_compiles prefetcher plan/plan.h || fail "what starts a prefetcher may include plans: $(cat "$tmp/err")"
	shim_compiles preload preload/hooks.h || fail "a shim may include its own: $(cat "$tmp/err")"
	shim_refuses core plan/plan.h || fail "core could include plans"
	shim_refuses plan prefetcher/serve.h || fail "plans could include what starts a prefetcher"
	shim_refuses audit preload/hooks.h || fail "one shim could include the other"
	! grep -rn '#include "\(.*/\)\?\.\./' "$HEADSTART_TEST_SOURCE/ldpreload" || fail "a relative path could lead past the arrows"
}

# arrows FOLDER: which folders in it include headers of which others
arrows() {
	grep -ro '^#include "[^"]*/[^"]*"' --include='*.[ch]' "$1" |
		sed -n "s,^$1/\\(.*\\)/[^/]*:#include \"\\(.*\\)/[^/]*\"\$,\\1 \\2,p" | awk '$1 != $2' | sort -u
}

# Also rooms whose arrows the build does not enforce can be read, and deleted, one after the other.
case_no_folders_include_each_other() {
	cd "$HEADSTART_TEST_SOURCE"
	for part in src ldpreload tools; do
		arrows "$part" >"$tmp/arrows"
		[ -s "$tmp/arrows" ] || fail "no includes found in $part"
		tsort "$tmp/arrows" >/dev/null 2>"$tmp/err" || fail "folders of $part include each other: $(cat "$tmp/err")"
	done
	mkdir -p "$tmp/part/a" "$tmp/part/b"
	echo '#include "b/b.h"' >"$tmp/part/a/a.h"
	echo '#include "a/a.h"' >"$tmp/part/b/b.h"
	cd "$tmp"
	! arrows part | tsort >/dev/null 2>&1 || fail "a circle was not found"
}

# calls FOLDER: which files in it use what which others define, by their objects, of one library or program at a time
calls() {
	find "$1" -name '*.c.o' -exec nm -A {} + | awk '
		{ file = $1; sub(/:.*/, "", file); sub(/:/, " "); unit = file; sub(/\.p\/.*/, "", unit); name = unit " " $NF; kind = $(NF - 1) }
		kind ~ /^[TDBRVW]$/ { defines[name] = file }
		kind == "U" { user[++n] = file; used[n] = name }
		END { for (i = 1; i <= n; i++) if (used[i] in defines) print user[i], defines[used[i]] }' | awk '$1 != $2' | sort -u
}

# So each file can be read after those that it calls.
case_no_files_call_each_other() {
	cd "$HEADSTART_TEST_BUILD"
	for part in src tools; do
		calls "$part" >"$tmp/calls"
		[ -s "$tmp/calls" ] || fail "no calls found in $part"
		tsort "$tmp/calls" >/dev/null 2>"$tmp/err" || fail "files of $part call each other: $(cat "$tmp/err")"
	done
	mkdir -p "$tmp/lib.p"
	echo 'int b(void); int a(void) { return b(); }' | cc -c -o "$tmp/lib.p/a.c.o" -x c -
	echo 'int a(void); int b(void) { return a(); }' | cc -c -o "$tmp/lib.p/b.c.o" -x c -
	! calls "$tmp/lib.p" | tsort >/dev/null 2>&1 || fail "a circle was not found"
}

# meson also searches the folder of a meson.build. There a room could be included past the arrows, and would hide a layer of its name.
case_includes_begin_with_their_layer() {
	cd "$HEADSTART_TEST_SOURCE/src"
	grep -rho '^#include "[^"]*/[^"]*"' --include='*.[ch]' . | sed 's,.*"\(.*\)",\1,' | sort -u >"$tmp/included"
	[ -s "$tmp/included" ] || fail "no includes found"
	while read -r header; do
		[ -f "$header" ] || fail "there is no src/$header: an include begins with its layer"
	done <"$tmp/included"
	for room in */*/; do
		[ ! -d "$(basename "$room")" ] || fail "src/$room has the name of a layer"
	done
}

# Each header compiles alone.
case_header_stands_alone() {
	for header in "$HEADSTART_TEST_SOURCE"/src/*/*.h "$HEADSTART_TEST_SOURCE"/src/*/*/*.h \
		"$HEADSTART_TEST_SOURCE"/src/*/*/*/*.h; do
		header=${header#"$HEADSTART_TEST_SOURCE"/src/}
		layer=$(dirname "$header" | tr / -)
		[ -d "$layers/$layer" ] || layer=${header%%/*}
		compiles "$layer" "$header" || fail "$header: $(cat "$tmp/err")"
	done
}

run_cases
