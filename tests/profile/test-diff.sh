#!/bin/sh
# headstart diff: two profiles, and a profile and the files of today.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v python3 >/dev/null || skip "no python3"
export LC_ALL=C COLUMNS=100
real=$(realpath "$tmp")
page_size=$(getconf PAGESIZE)
for name in app same changed gone; do head -c $((page_size * 20)) /dev/urandom >"$real/$name"; done

# Both touched 2 pages of the program; of 'same' A touched 4 to 9 and B 6 to 13.
"$make_profile" "$tmp/a" <<EOF_PROFILE
program $real/app
file regular $real/app
range 0 2 0 1
file regular $real/same
range 4 6 2 1
file regular $real/changed
range 0 3 8 1
file regular $real/gone
range 0 5 11 1
file directory $real
EOF_PROFILE
echo more >>"$real/changed"
"$make_profile" "$tmp/b" <<EOF_PROFILE
program $real/app
file regular $real/app
range 0 2 0 1
file regular $real/same
range 6 8 2 1
file regular $real/changed
range 0 7 20 1
file directory $real
EOF_PROFILE
rm "$real/gone"

diff_says() { # PATTERN
	grep -qE -- "$1" "$tmp/out" || fail "does not say '$1': $(cat "$tmp/out")"
}
run_diff() {
	"$headstart" diff "$@" >"$tmp/out" 2>"$tmp/err" || fail "'diff $*' failed: $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "'diff $*' says on stderr: $(cat "$tmp/err")"
}

case_two_profiles_are_compared_as_text() {
	run_diff "$tmp/a" "$tmp/b"
	diff_says "^profiles of $real/app\$"
	diff_says "^  A +$tmp/a\$"
	diff_says '^  files +3 in both, 1 in both of different builds, 1 only in A, 0 only in B$'
	diff_says '^  touched +[0-9.]+ kB in both, [0-9.]+ kB only in A, [0-9.]+ kB only in B$'
	[ "$(awk 'part { print $NF } /^files that differ$/ { getline; part = 1 }' "$tmp/out")" = "$(printf "$real/%s\n" changed same gone)" ] ||
		fail "other files, or in another order: $(cat "$tmp/out")"
	run_diff -n 1 "$tmp/a" "$tmp/b"
	diff_says '^files that differ \(1 of 3; --all for the rest\)$'
	! grep -q "$real/gone" "$tmp/out" || fail "-n 1 prints more"
	run_diff "$tmp/a" "$tmp/a"
	! grep -q 'files that differ' "$tmp/out" || fail "a profile differs from itself: $(cat "$tmp/out")"
}

case_two_profiles_are_compared_as_json() {
	run_diff --json "$tmp/a" "$tmp/b"
	json "$tmp/out" - "$real" "$tmp/a" "$tmp/b" "$page_size" <<'EOF_PYTHON'
real, a, b, page = ARGS
page = int(page)
assert TOP["type"] == "difference" and TOP["program"] == real + "/app" and (TOP["a"], TOP["b"]) == (a, b)
assert TOP["page_size"] == page
assert [TOP["bytes_" + name] for name in ("only_a", "only_b", "both")] == [10 * page, 11 * page, 6 * page], TOP
assert TOP["counts"] == {"same": 3, "changed": 1, "only-a": 1, "only-b": 0, "gone": 0, "hidden": 0}, TOP
files = {file["path"]: file for file in TOP["files"]}
assert files[real + "/same"] == {"path": real + "/same", "state": "same", "bytes_only_a": 2 * page, "bytes_only_b": 4 * page,
                                 "bytes_both": 4 * page}, files
assert files[real + "/changed"]["state"] == "changed" and files[real + "/changed"]["bytes_both"] == 0
EOF_PYTHON
}

case_profile_is_compared_with_the_files_of_today() {
	run_diff "$tmp/a"
	diff_says "^profile of $real/app\$"
	diff_says '^  files +3 as recorded, 1 changed since, 1 gone$'
	diff_says "^ .* gone +$real/gone\$"
	diff_says "^ .* changed +$real/changed\$"
	run_diff --json "$tmp/a"
	json "$tmp/out" - "$page_size" <<'EOF_PYTHON'
page = int(ARGS[0])
assert TOP["b"] is None and (TOP["bytes_both"], TOP["bytes_only_a"]) == (8 * page, 8 * page), TOP
assert TOP["counts"]["changed"] == 1 and TOP["counts"]["gone"] == 1 and TOP["counts"]["hidden"] == 0
EOF_PYTHON
}

# What is behind a closed door is not gone.
case_file_that_one_may_not_read_is_not_gone() {
	[ "$(id -u)" = 0 ] || skip "not root"
	for_others "$headstart" "$headstart-tool" "$tmp/a"
	mkdir "$others/closed"
	echo secret >"$others/closed/file"
	printf 'program /p\nfile regular %s\nrange 0 1 0 1\n' "$others/closed/file" | "$make_profile" "$others/profile"
	chmod 700 "$others/closed"
	$as_nobody "$others/headstart" diff "$others/profile" >"$tmp/out" || fail "fails"
	diff_says '^  files +0 as recorded, 0 changed since, 0 gone$'
	diff_says '^ +1 that you may not read$'
}

case_hostile_name_is_escaped() {
	printf 'program /p\nfile regular /\033[31m\nrange 0 1 0 1\n' | "$make_profile" "$tmp/hostile"
	run_diff "$tmp/hostile"
	diff_says '/\\x1b\[31m$'
}

case_wrong_arguments_and_profiles_are_refused() {
	refuses 2 "no profile given" "$headstart" diff
	refuses 2 "give one profile or two" "$headstart" diff "$tmp/a" "$tmp/a" "$tmp/a"
	refuses 2 "'x' is not a number" "$headstart" diff -n x "$tmp/a"
	refuses 1 "cannot read '$tmp/missing': No such file" "$headstart" diff "$tmp/a" "$tmp/missing"
	refuses 1 "cannot write to standard output" sh -c '"$1" diff "$2" >/dev/full' sh "$headstart" "$tmp/a"
	head -c 100 "$tmp/a" >"$tmp/cut"
	refuses 1 "'$tmp/cut' is truncated" "$headstart" diff "$tmp/cut"
	refuses 1 "'$tmp/cut' is truncated" "$headstart" diff --json "$tmp/a" "$tmp/cut"
	for at in 8 40 90 $(($(stat -c %s "$tmp/a") - 1)); do
		cp "$tmp/a" "$tmp/bad"
		damage "$tmp/bad" "$at"
		refuses 1 "'$tmp/bad' " "$headstart" diff "$tmp/a" "$tmp/bad"
	done
}

run_cases
