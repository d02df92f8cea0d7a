#!/bin/sh
# A library that was updated keeps its place in the plan: where the functions are known that the old build called, the pages of the
# new one follow from where these functions lie now. Its symbols say which pages that are. The library is built again with functions
# added, moved in groups, and in another order altogether. The output has how many of the touched pages are planned and how many
# pages are planned in vain, with functions and without.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
umask 022 # root learns nothing from a debug file that is not for everybody
command -v cc >/dev/null || skip "no compiler"
command -v nm >/dev/null || skip "no nm"
command -v python3 >/dev/null || skip "no python3"
export HEADSTART_STATE="$tmp/state"
cd "$tmp"
real=$(pwd -P)
cp /bin/sh app

# The functions in the order of the build: 1200 of different lengths, all but the first hidden. A start calls every 31st of them, which
# are scattered, and some that follow each other.
cat >library.py <<'END'
import random, sys
kind = sys.argv[1]
chance = random.Random(4)
functions = [(f"f{i}", 16 * chance.randrange(1, 75)) for i in range(1200)]
added = [(f"more{i}", 16 * chance.randrange(1, 80)) for i in range(30)]
if kind != "old":
    for function in added:
        functions.insert(chance.randrange(len(functions)), function)
if kind == "groups":
    groups = [functions[i:i + 40] for i in range(0, len(functions), 40)]
    chance.shuffle(groups)
    functions = sum(groups, [])
if kind == "shuffled":
    chance.shuffle(functions)
print('#define HIDDEN __attribute__((visibility("hidden"))) void')
for name, size in functions:
    print(f'HIDDEN {name}(void) {{ __asm__ volatile(".skip {size}"); }}')
print("void api(void) { }")
END

# build KIND [FLAG…]: the library lib.so, and in `symbols` what nm says of it before anything was stripped.
build() {
	python3 library.py "$1" >lib.c
	shift
	cc -O1 -fno-toplevel-reorder -shared -fPIC -Wl,--build-id "$@" -o new.so lib.c || fail "cc"
	nm -S --defined-only new.so >symbols
	case $split in
	strip) strip new.so ;;
	debug-file)
		objcopy --only-keep-debug new.so lib.debug
		strip new.so
		objcopy --add-gnu-debuglink=lib.debug new.so
		;;
	esac
	mv new.so lib.so # a package manager renames
}

# touched: the pages that a start touches, by the functions that it calls; and the first. With "calls" also these.
touched() {
	python3 - symbols "$@" <<'END'
import subprocess, sys
wanted = {f"f{i}" for i in [*range(0, 1200, 31), *range(300, 340)]}
pages, calls = {0}, []
for line in open(sys.argv[1]):
    parts = line.split()
    if len(parts) == 4 and parts[3] in wanted:
        start, size = int(parts[0], 16), int(parts[1], 16)
        pages |= set(range(start // 4096, (start + size - 1) // 4096 + 1))
        calls.append((start, size))
if sys.argv[2:]:
    for start, size in calls: # of this library, an address is an offset
        print("call", start, start, size)
else:
    print(*sorted(pages))
END
}

# record FUNCTIONS: makes the profile of that start, where 'headstart record' would keep it; with its calls if FUNCTIONS is 1.
record() {
	{
		printf 'program %s\nfile regular %s\nrange 0 2 0 1\nfile regular %s\n' "$real/app" "$real/app" "$real/lib.so"
		order=2
		for page in $(touched); do
			echo "range $page 1 $order 1"
			order=$((order + 1))
		done
		[ "$1" = 0 ] || touched calls
	} | "$make_profile" app.profile
	"$headstart" plan --device solid app.profile >out || fail "$(cat out)"
	plan=$(echo state/app-*.plan)
	cp app.profile "${plan%.plan}.profile"
}

# measure KIND FUNCTIONS [FLAG…]: builds the library, records it, builds it anew, and makes the plan. Prints the share in percent of the
# touched pages that it has, and how many pages it has in vain.
measure() {
	kind=$1 functions=$2
	shift 2
	build old "$@"
	record "$functions"
	build "$kind" "$@"
	"$headstart" plan --device solid --json --program "$real/app" >made || fail "$(cat made)"
	[ "$(json made 'TOP["guessed"]')" = 1 ] || fail "$(cat made)"
	"$headstart" show --json "$plan" >shown
	json shown - "$real/lib.so" "$kind${split:+, $split}" "$functions" $(touched) <<'END' || fail "$(cat made shown)"
import sys
path, what, functions, hot = *ARGS[:3], {int(page) for page in ARGS[3:]}
extents = [e for e in TOP["extents"] if TOP["files"][e["file"]]["path"] == path]
assert all(e["guessed"] for e in extents)
planned = {page for e in extents for page in range(e["page"], e["page"] + e["pages"])}
asked = sum(e["pages"] - e["gap"] for e in extents)
share = 100 * len(hot & planned) // len(hot)
vain = asked - len(hot & planned)
print(share, max(vain, 0))
print(f"{what}, {'with' if functions == '1' else 'without'} functions: {len(hot & planned)} of {len(hot)} touched pages planned "
      f"({share} %), {max(vain, 0)} in vain", file=sys.stderr)
END
}

# leads KIND SHARE VAIN [FLAG…]: with functions, the plan has so much of what is touched, and no more than so many pages in vain.
leads() {
	kind=$1 least=$2 most=$3
	shift 3
	measure "$kind" 0 "$@" >/dev/null
	measure "$kind" 1 "$@" >figures
	read -r share vain <figures
	[ "$share" -ge "$least" ] || fail "$kind: $share % of the touched pages are planned, not $least %"
	[ "$vain" -le "$most" ] || fail "$kind: $vain pages are planned in vain, more than $most"
}

split=
case_called_functions_lead_by_symbols() {
	leads added 98 2
	leads groups 98 2
	leads shuffled 98 2
}

case_called_functions_lead_by_a_debug_file() {
	split=debug-file
	leads added 98 2
	leads shuffled 98 2
}

# A function whose neighbours are others now has its place by the landmark before it.
case_called_functions_lead_by_the_lengths_of_functions() {
	split=strip
	leads added 95 4
	leads groups 90 6
}

# Where nothing is found in the new build, knowing the functions does no harm.
case_functions_that_are_not_found_do_no_harm() {
	split=strip
	measure shuffled 1 >with
	measure shuffled 0 >without
	[ "$(cut -d ' ' -f 1 with)" -ge "$(($(cut -d ' ' -f 1 without) - 5))" ] || fail "worse than without functions: $(cat with without)"
}

run_cases
