#!/bin/sh
# headstart explain: a file, a page and a function, by what the profile, the plan and the file itself say.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
command -v python3 >/dev/null || skip "no python3"
command -v readelf >/dev/null || skip "no readelf"
export LC_ALL=C COLUMNS=120 HEADSTART_STATE="$tmp/state"
real=$(realpath "$tmp")
page_size=$(getconf PAGESIZE)
cat >"$real/app.c" <<'EOF'
__attribute__((noinline)) int wanted(int x) { return x * 3; }
__attribute__((noinline, aligned(65536))) int far_away(int x) { return x * 5 + wanted(x); }
int table(int); static int (*pointers[])(int) = {wanted, far_away, wanted};
int main(int argc, char **argv) { return pointers[argc & 1](argc) == 0; }
EOF
gcc -O1 -pie -fPIE -Wl,--build-id -o "$real/app" "$real/app.c" || fail "does not compile"
head -c $((page_size * 8)) /dev/urandom >"$real/data"
place() { # SYMBOL: its page in the file
	readelf -lsW "$real/app" | python3 -c '
import sys
lines = [line.split() for line in sys.stdin]
address = next(int(line[1], 16) for line in lines if len(line) == 8 and line[3] == "FUNC" and line[7] == sys.argv[1])
load = next(line for line in lines if line[:1] == ["LOAD"] and int(line[2], 16) <= address < int(line[2], 16) + int(line[4], 16))
print((int(load[1], 16) + address - int(load[2], 16)) // int(sys.argv[2]))' "$1" "$page_size"
}
wanted=$(place wanted)
far=$(place far_away)
[ "$wanted" != "$far" ] || fail "both functions lie on page $wanted"

# Of the data pages 1 and 3 are touched, and page 2 is a gap.
describe() {
	cat <<EOF_PROFILE
program $real/app
command app --once
runs 2
file regular $real/app
range 0 1 0 2
range $wanted 1 3 1
file regular $real/data
range 1 1 5 2
range 3 1 6 2
exec $real/app 0
exec /bin/helper 4
EOF_PROFILE
}
describe | "$make_profile" "$tmp/profile"
"$headstart" plan --device rotational -o "$tmp/plan" "$tmp/profile" >/dev/null || fail "no plan"

explain() {
	"$headstart" explain --plan "$tmp/plan" "$@" >"$tmp/out" 2>"$tmp/err" || fail "'explain $*' failed: $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "'explain $*' says on stderr: $(cat "$tmp/err")"
}
says() {
	grep -qE -- "$1" "$tmp/out" || fail "does not say '$1': $(cat "$tmp/out")"
}

case_file_is_explained_by_path_and_by_name() {
	explain "$tmp/profile" "$real/app"
	cp "$tmp/out" "$tmp/by-path"
	explain "$tmp/profile" app
	cmp -s "$tmp/out" "$tmp/by-path" || fail "the name gives something else"
	says "^$real/app\$"
	says '^  today +as it was recorded$'
	says '^  touched +[0-9.]+ kB of [0-9.]+ kB, in 2 ranges$'
	says '^ +[0-9.]+ kB in every run, [0-9.]+ kB in one run alone$'
	says '^  code +1 touched page, of [0-9]+ functions?'
	says "^  first +touch 0 of 7, after $real/app was executed\$"
	says '^  recordings +[0-9.]+ kB of it in 2 runs of app --once$'
	says '^  plan +for any start: reads [0-9.]+ kB of it'
	explain "$tmp/profile" data
	says '^  first +touch 5 of 7, after /bin/helper was executed$'
	explain "$tmp/profile" /no/such/file
	says "^  touched +by no start of $real/app\$"
	says 'does not read it: no start touched the file'
}

# The last page of a file is seldom full.
case_no_more_is_touched_than_the_file_has() {
	head -c $((page_size * 2 + 100)) "$real/data" >"$real/short"
	printf 'program %s\nruns 2\nfile regular %s\nrange 0 2 0 1\nrange 2 1 2 2\n' "$real/app" "$real/short" | "$make_profile" "$tmp/all-of-it"
	explain "$tmp/all-of-it" short
	says '^  touched +([0-9.]+ kB) of \1, in 2 ranges$'
	says '^ +100 B in every run, [0-9.]+ kB in one run alone$'
	explain --json "$tmp/all-of-it" short
	[ "$(json "$tmp/out" 'TOP["bytes"] == TOP["size"] and TOP["bytes_every_run"]')" = 100 ] || fail "$(cat "$tmp/out")"
}

case_file_whose_name_ends_like_a_page_is_explained() {
	cp "$real/data" "$real/odd:2"
	printf 'program %s\nfile regular %s\nrange 1 1 0 1\n' "$real/app" "$real/odd:2" | "$make_profile" "$tmp/odd"
	for name in odd:2 "$real/odd:2"; do
		explain "$tmp/odd" "$name"
		says "^$real/odd:2\$"
		says '^  touched +[0-9.]+ kB of [0-9.]+ kB, in 1 range$'
		explain "$tmp/odd" "$name:1"
		says '^page 1$'
		says '^  touched +in 1 of 1 run,'
	done
}

case_page_is_explained() {
	explain "$tmp/profile" data:1
	says '^page 1$'
	says '^  touched +in 2 of 2 runs, as touch 5, after /bin/helper was executed$'
	says 'for any start: reads it, because a start touched it$'
	explain "$tmp/profile" data:2
	says '^  touched +by no start$'
	says 'reads it, because that is cheaper than skipping it between touched pages$'
	explain "$tmp/profile" data:7
	says 'does not read it: no start touched the page$'
}

case_function_is_explained_by_the_pages_it_lies_on() {
	explain "$tmp/profile" wanted
	says "^wanted in $real/app\$"
	says "^page $wanted\$"
	says '^  touched +in 1 of 2 runs, as touch 3'
	grep -qE '^ +(functions +)?wanted$' "$tmp/out" || fail "not on its page: $(cat "$tmp/out")"
	explain "$tmp/profile" far_away
	says "^page $far\$"
	says '^  touched +by no start$'
	refuses 1 "has no file 'no_such_function', and no file of it has such a function" "$headstart" explain "$tmp/profile" no_such_function
}

case_json_has_everything() {
	explain --json "$tmp/profile" "app:$wanted"
	json "$tmp/out" - "$real/app" "$wanted" "$page_size" <<'EOF_PYTHON'
app, page, size = ARGS[0], int(ARGS[1]), int(ARGS[2])
assert TOP["type"] == "explanation" and TOP["program"] == TOP["path"] == app and TOP["symbol"] is None and TOP["touched"]
assert (TOP["bytes"], TOP["bytes_every_run"], TOP["bytes_one_run"]) == (2 * size, size, size), TOP
assert TOP["state"] == "fresh" and TOP["order"] == 0 and TOP["exec"] == app and TOP["size"] == os.stat(app).st_size
assert 0 < TOP["relocation_bytes"] <= size, TOP
assert TOP["code"]["pages"] == 1 and TOP["code"]["functions"] >= 1
assert [r["runs"] for r in TOP["recordings"]] == [2] and TOP["recordings"][0]["touched"]
plan, = TOP["plans"]
assert plan["planned"] and plan["key"] is None and plan["absence"] is None and not plan["guessed"]
assert plan["bytes"] - plan["gap_bytes"] == 2 * size
found, = TOP["pages"]
assert found["page"] == page and found["order"] == 3 and found["runs"] == 1 and found["plans"] == ["touched"]
assert "wanted" in found["functions"] and "far_away" not in found["functions"], found
EOF_PYTHON
	explain --json "$tmp/profile" /no/such/file
	[ "$(json "$tmp/out" 'TOP["touched"] or TOP["pages"]')" = '[]' ] || fail "$(cat "$tmp/out")"
}

# Each recording is asked by itself, and a program's stored plans are found.
case_recordings_and_stored_plans_are_told_apart() {
	describe | sed 's/--once/--first/' | "$make_profile" "$tmp/two"
	printf 'program %s\ncommand app --second\nfile regular %s\nrange 0 2 0 1\n' "$real/app" "$real/app" | "$make_profile" --add "$tmp/two"
	"$headstart" plan "$tmp/two" >/dev/null || fail "no stored plan"
	"$headstart" explain "$tmp/two" data >"$tmp/out" || fail "fails"
	says '^  recordings +[0-9.]+ kB of it in 2 runs of app --first$'
	says '^ +nothing in app --second$'
	says '^  plan +for any start: '
	"$headstart" explain --json "$tmp/two" data >"$tmp/out" || fail "fails"
	[ "$(json "$tmp/out" '[r["touched"] for r in TOP["recordings"]]')" = '[True, False]' ] || fail "$(cat "$tmp/out")"
	rm -r "$tmp/state"
	"$headstart" explain "$tmp/two" data >"$tmp/out" || fail "fails without a plan"
	says "^  plan +$real/app has none on this machine\$"
}

case_file_that_no_plan_has_is_said_with_the_reason() {
	cp "$tmp/plan" "$tmp/kept"
	echo more >>"$real/data"
	"$headstart" plan -o "$tmp/plan" "$tmp/profile" >/dev/null || fail "no plan"
	explain "$tmp/profile" data
	says '^  today +it has changed since'
	says 'does not read it: the file has changed, and nothing could be guessed of it$'
	explain --json "$tmp/profile" data:1
	[ "$(json "$tmp/out" 'TOP["plans"][0]["absence"]')" = changed ] || fail "$(cat "$tmp/out")"
	rm "$real/data"
	"$headstart" plan -o "$tmp/plan" "$tmp/profile" >/dev/null || fail "no plan"
	explain "$tmp/profile" data:1
	says '^  today +it is gone$'
	says 'does not read it: the file is gone or cannot be read$'
	mv "$tmp/kept" "$tmp/plan"
}

case_wrong_arguments_and_damaged_files_are_refused() {
	refuses 2 "no profile given" "$headstart" explain
	refuses 2 "nothing to explain given" "$headstart" explain "$tmp/profile"
	refuses 2 "unexpected argument 'x'" "$headstart" explain "$tmp/profile" app x
	refuses 1 "app' has no page 99999999: it had " "$headstart" explain "$tmp/profile" app:99999999
	refuses 1 "'$tmp/profile' is not a headstart plan" "$headstart" explain --plan "$tmp/profile" "$tmp/profile" app
	refuses 1 "cannot write to standard output" sh -c '"$1" explain "$2" app >/dev/full' sh "$headstart" "$tmp/profile"
	for what in profile plan; do
		for at in 8 40 $(($(stat -c %s "$tmp/$what") - 1)); do
			cp "$tmp/$what" "$tmp/bad"
			damage "$tmp/bad" "$at"
			case $what in
			profile) refuses 1 "'$tmp/bad' " "$headstart" explain "$tmp/bad" app ;;
			plan) refuses 1 "'$tmp/bad' " "$headstart" explain --plan "$tmp/bad" "$tmp/profile" app ;;
			esac
		done
	done
}

# ELF files that are damaged as they were recorded: no crash, and no more said than the file has.
case_damaged_elf_file_does_no_harm() {
	for at in 4 16 32 40 54 56 60 100 $((64 + 56 * 3 + 8)) $((64 + 56 * 5 + 32)); do
		cp "$real/app" "$real/elf"
		damage "$real/elf" "$at"
		printf 'program %s\nfile regular %s\nrange 0 8 0 1\n' "$real/elf" "$real/elf" | "$make_profile" "$tmp/elf-profile"
		"$headstart" explain --json "$tmp/elf-profile" elf:1 >"$tmp/out" 2>"$tmp/err" || fail "byte $at: $(cat "$tmp/err")"
		[ "$(json "$tmp/out" "TOP['relocation_bytes'] <= 8 * $page_size")" = True ] || fail "byte $at: $(cat "$tmp/out")"
	done
}

run_cases
