#!/bin/sh
# A C++ program of 3,000 functions, of which a start executes about a hundred, is linked again by each linker in the order of
# headstart order. It runs as before, and executes at most a third of the pages of code. The same holds with one profile of a link
# that gives each function pages of its own.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/order/order-lib.sh"
command -v valgrind >/dev/null || skip "no valgrind"
flags='-O1 -fno-pie -no-pie -ffunction-sections'

build() {
	"$here/make-program.py" "$tmp" 3000 100
	cd "$tmp"
	jobs=
	for source in main.cc bare.s part0.cc part2.cc part4.cc; do
		g++ $flags -c "$source" -o "${source%.*}.o" & jobs="$jobs $!"
	done
	for source in part1.cc part3.cc part5.cc; do	# -O2 splits functions
		g++ $flags -O2 -c "$source" -o "${source%.*}.o" & jobs="$jobs $!"
	done
	for job in $jobs; do wait "$job" || fail "the program does not compile"; done
}

# Traces a program: the lines of its pages are in $1.pages, and its output must be that of the first.
trace() {
	"$here/executed-pages.py" "$real/$1.output" "$real/$1" >"$real/$1.pages" || fail "$1 does not run"
	[ -s "$real/$1.output" ] || fail "$1 prints nothing"
	[ ! -e "$real/plain" ] || cmp -s "$real/plain.output" "$real/$1.output" || fail "$1 prints something else"
}

# The number of pages, and of runs of pages, in a trace.
pages() { wc -l <"$real/$1.pages"; }
runs() { awk '{ print $2 }' "$real/$1.pages" | sort -n | awk 'NR == 1 || $1 != last + 1 { n++ } { last = $1 } END { print n }'; }

# Links the same program with its functions in another order, by a linker script. $1 is the seed of the order.
shuffled() {
	readelf -SW ./*.o | sed -n 's/.* \(\.text\.[^ ]*\) *PROGBITS.*/\1/p' | sort -u >names
	{
		echo 'SECTIONS { .text.hot : {'
		python3 -c 'import random, sys
names = sys.stdin.read().split()
random.Random(int(sys.argv[1])).shuffle(names)
print("\n".join(f"*({name})" for name in names))' "$1" <names
		echo '} } INSERT BEFORE .text;'
	} >"shuffle$1.ld"
	mkdir "$1"
	g++ $flags ./*.o -fuse-ld=bfd -Wl,-T,"shuffle$1.ld" -o "$1/plain" || fail "no shuffled link"
	trace "$1/plain"
	profile_of "$real/$1/plain" "$1.profile" "$real/$1/plain.pages"
}

# Links with linker $1; $2: the flags in its words, or none.
link() {
	out=$1 which=$2
	shift 2
	g++ $flags ./*.o -fuse-ld="$which" "$@" -o "$out" 2>"$out.err" || fail "$which cannot link: $(cat "$out.err")"
}

# $1 is the --for, $2 the file with the order; links $1.after.
link_after() {
	case $1 in
	lld) link lld.after lld "-Wl,--symbol-ordering-file=$2,--fatal-warnings" ;;
	gold) link gold.after gold "-Wl,--section-ordering-file=$2" ;;
	ld) g++ $flags ./*.o -B "$new_ld" "-Wl,--section-ordering-file=$2" -o ld.after || fail "ld cannot link" ;;
	ld-script) link ld-script.after bfd "-Wl,-T,$2" ;;
	mold)
		mkdir -p joined
		g++ -r -nostdlib -fuse-ld=bfd ./*.o "-Wl,--force-group-allocation,-T,$2" -o joined/all.o || fail "ld -r fails"
		g++ $flags joined/all.o -fuse-ld=mold -o mold.after || fail "mold cannot link"
		;;
	esac
}

link_before() {
	case $1 in
	ld) g++ $flags ./*.o -B "$new_ld" -o ld.before || fail "ld cannot link" ;;
	ld-script) link ld-script.before bfd ;;
	*) link "$1.before" "$1" ;;
	esac
}

# Whether the linker is installed; reports the case as untried otherwise.
is_there() {
	case $1 in
	ld) "$new_ld/ld" --help 2>/dev/null | grep -q -- '--section-ordering-file' && return ;;
	ld-script) return ;;
	*) command -v "ld.$1" >/dev/null && return ;;
	esac
	untried "$1: not installed here"
	return 1
}

build
# GNU ld 2.43 or later may lie in a folder of its own: HEADSTART_TEST_LD.
new_ld=${HEADSTART_TEST_LD:-$(dirname "$(command -v ld)")}
link plain bfd
trace plain
[ "$(nm plain | grep -ci ' [tw] ')" -ge 3000 ] || fail "too small a program"
profile_of "$real/plain" profile "$real/plain.pages"
for seed in 1 2 3 4; do shuffled $seed; done
narrow='--narrow 1.profile --narrow 2.profile --narrow 3.profile --narrow 4.profile'

case_every_linker_makes_a_third_of_the_pages_do() {
	tested=0
	for linker in lld gold ld ld-script mold; do
		is_there $linker || continue
		link_before $linker
		trace $linker.before
		order --for $linker -o $linker.order --json $narrow profile >$linker.json
		link_after $linker "$real/$linker.order"
		trace $linker.after
		before=$(pages $linker.before) after=$(pages $linker.after)
		echo "$linker: $before pages in $(runs $linker.before) runs before, $after in $(runs $linker.after) after"
		[ $((after * 3)) -le "$before" ] || fail "$linker: $after pages of $before"
		[ "$(runs $linker.after)" -lt "$(runs $linker.before)" ] || fail "$linker: not fewer runs"
		tested=$((tested + 1))
	done
	[ $tested -gt 0 ] || fail "no linker"
}

# At most as many pages as predicted.
case_prediction_comes_true() {
	json ld-script.json - "$(pages plain)" "$(runs plain)" "$(pages ld-script.after)" <<'EOF'
file, = TOP["files"]
pages, runs, after = map(int, ARGS)
assert TOP["for"] == "ld-script" and TOP["basis"] == "pages" and TOP["profiles"] == 5, TOP
assert TOP["names_left_out"] == 0, TOP
assert (file["pages_before"], file["runs_before"]) == (pages, runs), (file, pages, runs)
assert 100 < file["functions"] < 1000 and file["symbols"] == "symtab", file
assert after <= file["pages_after"] < pages and file["runs_after"] < runs, (file, after)
EOF
}

# One profile alone cannot tell which functions of a page ran: there are hardly fewer pages, but they lie together.
case_one_profile_makes_fewer_runs() {
	order --for ld-script -o pages.order profile >/dev/null
	link pages.after bfd -Wl,-T,pages.order
	trace pages.after
	echo "one profile: $(pages plain) pages in $(runs plain) runs before, $(pages pages.after) in $(runs pages.after) after"
	[ "$(runs pages.after)" -lt "$(runs plain)" ] || fail "one profile: not fewer runs"
}

# If each function has pages of its own, one profile tells which functions ran.
case_functions_apart_make_pages_and_runs_few() {
	mkdir apart
	echo 'SECTIONS { .text.apart : SUBALIGN(4096) { *(.text.*) } } INSERT BEFORE .text;' >apart.ld
	link apart/plain bfd -Wl,-T,apart.ld
	trace apart/plain
	profile_of "$real/apart/plain" apart.profile "$real/apart/plain.pages"
	order --for ld-script -o apart.order apart.profile >/dev/null
	link apart.after bfd -Wl,-T,apart.order
	trace apart.after
	echo "functions apart: $(pages plain) pages in $(runs plain) runs before, $(pages apart.after) in $(runs apart.after) after"
	[ "$(pages apart.after)" -le "$(pages ld-script.after)" ] || fail "more pages than narrowed by four profiles"
	[ "$(runs apart.after)" -le 3 ] || fail "$(runs apart.after) runs"
}

run_cases
