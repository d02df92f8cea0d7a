#!/bin/sh
# headstart export: what it writes and says, where it writes, and what it refuses. The lists are read as their engines read them.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v python3 >/dev/null || skip "no python3"
real=$(realpath "$tmp")
mkdir -p "$real/image/usr"
for name in late early 'with blank' never; do head -c 10000 /dev/urandom >"$real/image/usr/$name"; done
"$make_profile" "$tmp/profile" <<EOF_PROFILE
program $real/image/usr/early
file directory $real/image/usr
file regular $real/image/usr/early
range 0 2 1 1
file regular $real/image/usr/with blank
range 1 1 5 1
file regular $real/image/usr/late
range 2 1 10 1
range 0 1 20 1
file regular $(realpath /bin/sh)
range 0 1 30 1
file regular $real/image/usr/never
EOF_PROFILE

# Exports a list for the image, which begins where the files lie.
export_image() { # FORMAT
	"$headstart" export --format "$1" --root "$real/image" "$tmp/profile" >"$tmp/list" 2>"$tmp/err" || fail "$1: $(cat "$tmp/err")"
	grep -qx 'headstart: left out 1 file that the start touched outside of the image' "$tmp/err" || fail "$1 says: $(cat "$tmp/err")"
}

case_json_lists_are_json_in_the_order_of_touch() {
	export_image estargz
	python3 - "$tmp/list" <<'EOF_PYTHON'
import json, sys
assert [json.loads(line) for line in open(sys.argv[1])] == [{"path": "usr/" + name} for name in ("early", "with blank", "late")]
EOF_PYTHON
	export_image soci
	[ "$(json "$tmp/list" 'TOP == ["/usr/early", "/usr/with blank", "/usr/late"]')" = True ] || fail "soci: $(cat "$tmp/list")"
	export_image cvmfs
	json "$tmp/list" - <<'EOF_PYTHON'
assert TOP == {"name": "CVMFS_BUNDLE", "version": "1.0.0", "encoding": "UTF-8",
               "dependencies": ["/usr/early", "/usr/with blank", "/usr/late"]}, TOP
EOF_PYTHON
}

case_line_lists_have_a_path_in_each_line() {
	export_image nydus
	printf '/usr/%s\n' early 'with blank' late | cmp -s - "$tmp/list" || fail "nydus: $(cat "$tmp/list")"
	export_image mksquashfs
	printf '%s\n' 'usr/early 32767' 'usr/with\ blank 32766' 'usr/late 32765' | cmp -s - "$tmp/list" || fail "mksquashfs: $(cat "$tmp/list")"
	export_image vmtouch
	printf "$real/image/usr/%s\0" early 'with blank' late | cmp -s - "$tmp/list" || fail "vmtouch: $(tr '\0' '\n' <"$tmp/list")"
	page_size=$(getconf PAGESIZE)
	if [ "$page_size" = 4096 ]; then
		export_image ranges
		printf "%s $real/image/usr/%s\n" '0 8192' early '4096 4096' 'with blank' '8192 1808' late '0 4096' late | cmp -s - "$tmp/list" ||
			fail "ranges: $(cat "$tmp/list")"
	else
		untried "ranges: the pages are of $page_size bytes"
	fi
}

# The list is written without it, one sentence says so, and so does the exit status.
case_file_that_the_format_cannot_name_is_left_out_and_said() {
	refuses 1 "'$real/image/usr/with blank' is left out: overlaybd lists cannot hold this path" \
		"$headstart" export --format overlaybd -o "$tmp/list" "$tmp/profile"
	! grep -q 'blank' "$tmp/list" && grep -qx "$real/image/usr/late" "$tmp/list" || fail "overlaybd: $(cat "$tmp/list")"
	printf 'program /p\nfile regular /a b\nrange 0 1 0 1\nfile regular /c d\nrange 0 1 1 1\nfile regular /e\nrange 0 1 2 1\n' |
		"$make_profile" "$tmp/two"
	refuses 1 "'/a b' and 1 more are left out: overlaybd lists cannot hold these paths" \
		"$headstart" export --format overlaybd -o "$tmp/list" "$tmp/two"
	[ "$(cat "$tmp/list")" = /e ] || fail "$(cat "$tmp/list")"
	"$headstart" export --format overlaybd --json -o "$tmp/list" "$tmp/two" >"$tmp/json" 2>"$tmp/err" && fail "no exit status"
	[ "$(json "$tmp/json" 'TOP["files"] == 1 and TOP["left_out"] == ["/a b", "/c d"]')" = True ] || fail "$(cat "$tmp/json")"
	printf 'program /p\nfile regular /a b\nrange 0 1 0 1\n' | "$make_profile" "$tmp/none"
	rm "$tmp/list"
	refuses 1 "'/a b' is left out" "$headstart" export --format overlaybd -o "$tmp/list" "$tmp/none"
	[ ! -e "$tmp/list" ] || fail "an empty list was written"
}

case_output_is_written_whole_with_a_summary() {
	"$headstart" export --format nydus -o "$tmp/out" "$tmp/profile" >"$tmp/text" || fail "-o fails"
	"$headstart" export --format nydus "$tmp/profile" | cmp -s - "$tmp/out" || fail "-o writes something else"
	grep -qE '^files    4, of which the start touches [0-9.]+ kB$' "$tmp/text" || fail "summary: $(cat "$tmp/text")"
	"$headstart" export --format=nydus --root="$real/image/" --output="$tmp/out" --json "$tmp/profile" >"$tmp/json" 2>"$tmp/err"
	json "$tmp/json" - "$tmp/out" "$(getconf PAGESIZE)" <<'EOF_PYTHON'
out, page = ARGS[0], int(ARGS[1])
last = 10000 - 2 * page if 2 * page < 10000 else page # of the third page of a file
assert TOP == {"format": "nydus", "output": out, "files": 3, "bytes": 4 * page + last, "outside": 1, "left_out": []}, TOP
EOF_PYTHON
	echo before >"$tmp/kept"
	printf 'program /p\nfile regular %s\nfile regular %s\nrange 0 1 3 1\n' "$real/image/usr/never" "$(realpath /bin/sh)" | "$make_profile" "$tmp/empty"
	refuses 1 "cannot write to standard output" sh -c '"$1" export --format nydus "$2" >/dev/full' sh "$headstart" "$tmp/profile"
	refuses 1 "'/dev/null' is not a regular file" "$headstart" export --format nydus -o /dev/null "$tmp/profile"
	refuses 1 "touched no file of the image" "$headstart" export --format nydus --root "$real/image" -o "$tmp/kept" "$tmp/empty"
	[ "$(cat "$tmp/kept")" = before ] || fail "a failure writes"
}
case_wrong_arguments_and_profiles_are_refused() {
	refuses 2 "no format given: use estargz, nydus" "$headstart" export "$tmp/profile"
	refuses 2 "unknown format 'zip': use estargz" "$headstart" export --format zip "$tmp/profile"
	refuses 2 "no profile given" "$headstart" export --format nydus
	refuses 2 "unexpected argument '$tmp/profile'" "$headstart" export --format nydus "$tmp/profile" "$tmp/profile"
	refuses 2 "'image' is not an absolute path" "$headstart" export --format nydus --root image "$tmp/profile"
	refuses 2 "--json needs -o" "$headstart" export --format nydus --json "$tmp/profile"
	head -c 100 "$tmp/profile" >"$tmp/cut"
	refuses 1 "'$tmp/cut' is truncated" "$headstart" export --format nydus -o "$tmp/none-of-it" "$tmp/cut"
	for at in 8 40 90 $(($(stat -c %s "$tmp/profile") - 1)); do
		cp "$tmp/profile" "$tmp/bad"
		damage "$tmp/bad" "$at"
		refuses 1 "'$tmp/bad' " "$headstart" export --format ranges -o "$tmp/none-of-it" "$tmp/bad"
	done
	[ ! -e "$tmp/none-of-it" ] || fail "something of a damaged profile was written"
}

run_cases
