#!/bin/sh
# A library that was updated keeps its place in the plan: what was hot in the old build is found again in the new one, which
# nobody has recorded. The library is built again with one function more; which pages are hot then, its symbols say.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
command -v cc >/dev/null || skip "no compiler"
command -v nm >/dev/null || skip "no nm"
export HEADSTART_STATE="$tmp/state"
cd "$tmp"
real=$(pwd -P)

# source_of MORE: 700 functions of different lengths, all but the first hidden, and one more of MORE bytes in front of the tenth.
# Nobody calls them.
source_of() {
	awk -v more="$1" 'BEGIN {
		print "#define HIDDEN __attribute__((visibility(\"hidden\"))) void"
		for (i = 0; i < 700; i++) {
			if (i == 10 && more)
				printf "HIDDEN more(void) { __asm__ volatile(\".skip %d\"); }\n", more
			printf "HIDDEN f%d(void) { __asm__ volatile(\".skip %d\"); }\n", i,
				16 * ((i * 37) % 67 + (i * i) % 7 + 1)
		}
		print "void api(void) { }"
	}'
}

# build MORE [FLAG…]: the library new.so, and in `symbols` what nm says of it before anything was stripped.
build() {
	more=$1
	shift
	source_of "$more" >lib.c
	cc -O1 -fno-toplevel-reorder -shared -fPIC "$@" -o new.so lib.c
	nm -S --defined-only new.so >symbols
}
publish() { # a package manager renames
	mv new.so "${1-lib.so}"
}

# The pages that a start touches: those of some functions that follow each other, and of some that lie alone; and the first.
hot() {
	python3 - symbols <<'EOF'
import sys
wanted = {f"f{i}" for i in [*range(100, 160), 250, 333, 400, 401, 480, 555, 620, 690]}
pages = {0}
for line in open(sys.argv[1]):
    parts = line.split()
    if len(parts) == 4 and parts[3] in wanted:
        start, size = int(parts[0], 16), int(parts[1], 16)
        pages |= set(range(start // 4096, (start + size - 1) // 4096 + 1))
print(*sorted(pages))
EOF
}

# Makes the profile of a start that touches these pages of the library, where 'headstart record' would keep it.
record() {
	{
		printf 'program %s\nfile regular %s\nrange 0 2 0 1\nfile regular %s\n' "$real/app" "$real/app" "$real/${1-lib.so}"
		order=2
		for page in $(hot); do
			echo "range $page 1 $order 1"
			order=$((order + 1))
		done
	} | "$make_profile" app.profile
	"$headstart" plan --device solid app.profile >out || fail "$(cat out)"
	plan=$(echo state/app-*.plan)
	cp app.profile "${plan%.plan}.profile"
	hot | wc -w >was
}

# covers PERCENT [NAME]: the plan that is made now has so much of what is hot now, all of it guessed, and no more pages than before.
covers() {
	"$headstart" plan --device solid --json --program "$real/app" >made || fail "$(cat made)"
	[ "$(json made 'TOP["guessed"]')" = 1 ] || fail "$(cat made)"
	"$headstart" show --json "$plan" >json
	json json - "$real/${2-lib.so}" "$1" "$(cat was)" $(hot) <<'EOF' || fail "$(cat made json)"
path, percent, was, hot = ARGS[0], int(ARGS[1]), int(ARGS[2]), {int(page) for page in ARGS[3:]}
of_library = [e for e in TOP["extents"] if TOP["files"][e["file"]]["path"] == path]
planned = {page for e in of_library for page in range(e["page"], e["page"] + e["pages"])}
assert all(e["guessed"] for e in of_library)
assert sum(e["pages"] - e["gap"] for e in of_library) <= was
assert not any(e["guessed"] for e in TOP["extents"] if e not in of_library)
assert len(hot & planned) >= len(hot) * percent / 100, (sorted(hot), sorted(planned))
EOF
}

cp /bin/sh app

# check PERCENT MORE [FLAG…]: for a library that is built with these flags, and then stripped if STRIP is set.
check() {
	percent=$1 lines=$2
	shift 2
	build 0 "$@"
	${STRIP-:} new.so
	publish
	record
	build "$lines" "$@"
	${STRIP-:} new.so
	publish
	covers "$percent"
}

case_pages_are_carried_by_symbols() {
	check 90 500 -fno-asynchronous-unwind-tables
	check 80 40000 -fno-asynchronous-unwind-tables
}
case_pages_are_carried_by_the_lengths_of_functions() {
	export STRIP=strip
	check 90 500
	check 80 40000
}
case_pages_are_carried_by_their_place_in_the_section() {
	export STRIP=strip
	check 80 500 -fno-asynchronous-unwind-tables
}
without_sections() {
	strip "$1"
	poke "$1" 40 '\0\0\0\0\0\0\0\0'
	poke "$1" 60 '\0\0\0\0'
}
case_pages_are_carried_without_section_headers() {
	export STRIP=without_sections
	check 90 500
	check 80 500 -fno-asynchronous-unwind-tables
}

# The name of the file has the version in it, and a link leads to it.
case_library_of_another_name_takes_the_place() {
	build 0
	publish libx.so.1.2.3
	ln -s libx.so.1.2.3 libx.so.1
	record libx.so.1.2.3
	build 500
	rm libx.so.1.2.3
	publish libx.so.1.3
	ln -sf libx.so.1.3 libx.so.1
	covers 90 libx.so.1.3
	"$headstart" doctor --json "$real/app" >json || :
	json json - <<'EOF' || fail "doctor: $(cat json)"
assert not any(f["subject"] == "coverage" for f in TOP["findings"])
EOF
	rm libx.so.1.3
	ln -sf ../libx.so.1.4 libx.so.1 # a link may lead anywhere: such files are left out
	"$headstart" plan --device solid --json --program "$real/app" >made
	json made - <<'EOF' || fail "$(cat made)"
assert TOP["guessed"] == 0 and TOP["gone"] == 1
EOF
}

case_guesses_are_told() {
	build 0
	publish
	record
	build 500
	publish
	"$headstart" plan --device solid --program "$real/app" >out
	grep -q '^guessed  1 of these files: ' out || fail "plan: $(cat out)"
	"$headstart" show "$plan" >out
	grep -qE '^  guessed +[0-9.]+ kB of it, in files that were updated' out || fail "show: $(cat out)"
	"$headstart" doctor --json "$real/app" >json || :
	json json - <<'EOF' || fail "doctor: $(cat json)"
plan = next(f for f in TOP["findings"] if f["subject"] == "plan")
assert plan["severity"] == "ok" and "MB of them are guessed" in plan["consequence"], plan
EOF
}

# A file that is no ELF file, or a damaged one, is left out as before.
case_other_files_are_not_guessed() {
	build 0
	publish
	record
	echo text >lib.so
	"$headstart" plan --device solid --json --program "$real/app" >made
	json made - <<'EOF' || fail "$(cat made)"
assert TOP["guessed"] == 0 and TOP["stale"] == 1
EOF
	head -c 100 /bin/sh >lib.so
	"$headstart" plan --device solid --json --program "$real/app" >made
	[ "$(json made 'TOP["guessed"]')" = 0 ] || fail "$(cat made)"
}

run_cases
