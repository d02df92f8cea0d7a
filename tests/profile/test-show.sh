#!/bin/sh
# headstart show: what it prints about profiles and plans, and about files that are neither or no longer.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
command -v python3 >/dev/null || skip "no python3"
export LC_ALL=C COLUMNS=100 TZ=UTC
real=$(realpath "$tmp")
app=$real/a-folder-with-a-name/and-one-below-it/and-one-more-below-that/application
mkdir -p "${app%/*}"
cp /bin/sh "$app"
dd if=/dev/zero of="$real/data" bs=4096 count=48 status=none
ln -s data "$real/link"
"$make_profile" "$tmp/profile" <<EOF_PROFILE
program $app
command application --and=arguments
file directory $real
file regular $app
range 0 4 1 2
range 6 1 6 1
file regular $real/data
range 0 24 20 1
range 40 1 50 2
file symlink $real/link
exec $app 0
exec /bin/helper 20
EOF_PROFILE
"$headstart" plan -o "$tmp/plan" "$tmp/profile" >/dev/null || fail "no plan"

says() {
	grep -qE -- "$1" "$tmp/out" || fail "does not say '$1': $(cat "$tmp/out")"
}
show() {
	"$headstart" show "$@" >"$tmp/out" 2>"$tmp/err" || fail "'show $*' failed: $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "'show $*' says on stderr: $(cat "$tmp/err")"
}

# A profile as text.
case_profile_is_shown_as_text() {
	show "$tmp/profile"
	says "^profile of $app\$"
	says '^  command +application --and=arguments$'
	says '^  recorded +20[0-9-]+ [0-9:]+ \+0000, on kernel synthetic'
	says '^  by +made by hand; ended by: exit$'
	says '^  runs +2$'
	says '^  key +none$'
	says '^  touched +122.9 kB in 4 ranges of 2 files$'
	says '^ +20.5 kB in every run, 102.4 kB in one run alone$'
	says '^  looked at +2 other files'
	says '^ +20  /bin/helper$'
	says '^ +102.4 kB  196.6 kB +2  -  +#{12}\.{8}\+\.{3}  .*data$'
	says "^ +20.5 kB .* 2  $(readelf -n "$app" | sed -n 's/.*Build ID: \(........\).*/\1/p')  .*\.\.\..*/application\$"
	! tail -n +2 "$tmp/out" | awk 'length > 100' | grep . || fail "wider than 100 columns"
	[ "$(tail -n 2 "$tmp/out" | grep -c data)" = 1 ] || fail "two files are not two lines: $(cat "$tmp/out")"
	COLUMNS=250 show "$tmp/profile"
	says "  $app\$"
	show --files 1 "$tmp/profile"
	says '^files by touched bytes \(1 of 2; --all for the rest\)$'
	[ "$(grep -c '/application$' "$tmp/out")" = 2 ] || fail "--files 1 shows the second file: $(cat "$tmp/out")"
	show --files=1 --all "$tmp/profile"
	says '^files by touched bytes$'
}

# A profile as JSON, which has everything.
case_profile_is_shown_whole_as_json() {
	show --json "$tmp/profile"
	json "$tmp/out" - "$app" "$real" <<'EOF_PYTHON'
profile, (app, real) = TOP, ARGS
assert profile["type"] == "profile" and profile["program"] == app and profile["runs"] == 2
assert profile["command"] == "application --and=arguments" and profile["bias"] == []
assert profile["bytes"] == 30 * profile["page_size"] and profile["touches"] == 52, profile
assert [r["key"] for r in profile["recordings"]] == [None]
assert profile["execs"] == [{"path": app, "order": 0}, {"path": "/bin/helper", "order": 20}]
files = {file["path"]: file for file in profile["files"]}
assert list(files) == [real, app, real + "/data", real + "/link"], list(files)
assert [file["kind"] for file in files.values()] == ["directory", "regular", "regular", "symlink"]
assert files[app]["size"] == os.stat(app).st_size and files[app]["mtime_ns"] == os.stat(app).st_mtime_ns
assert len(files[app]["build_id"]) >= 16 and files[real + "/data"]["build_id"] is None
assert files[real + "/data"]["ranges"] == [{"page": 0, "pages": 24, "order": 20, "runs": 1},
                                           {"page": 40, "pages": 1, "order": 50, "runs": 2}]
EOF_PYTHON
}

# A plan, and the current state of its files.
case_plan_is_shown_with_what_became_of_its_files() {
	show "$tmp/plan"
	says "^plan for $app\$"
	says '^  order +(of first touch|by place on the disk: .*)$'
	says '^  opens +2 files, 1 folder, 1 link$'
	says '^  for +any start$'
	says '^  reads +[0-9.]+ kB in [0-9]+ extents, at most [0-9.]+ [kM]B at once$'
	says '^  gaps +[0-9.]+ k?B of it not touched'
	says '^  probes +[0-9]+ pages?: '
	says '^  here +no file has changed'
	says '^ +1[0-9][0-9.]+ kB  196.6 kB +[12]  fresh  .*data$'
	show --json "$tmp/plan"
	json "$tmp/out" - "$app" "$real" <<'EOF_PYTHON'
plan, (app, real) = TOP, ARGS
assert plan["type"] == "plan" and plan["program"] == app and plan["stale"] == 0
assert plan["bytes"] - plan["gap_bytes"] == 30 * plan["page_size"], plan
assert plan["key"] is None and plan["rule"] is None and plan["lost_bytes"] == 0
assert not any(extent["guessed"] for extent in plan["extents"])
assert plan["bytes"] == sum(extent["pages"] for extent in plan["extents"]) * plan["page_size"]
files = {file["path"]: file for file in plan["files"]}
assert sorted(files) == sorted([real, app, real + "/data", real + "/link"]), list(files)
assert all(file["state"] == "fresh" for file in files.values())
assert files[app]["inode"] == os.stat(app).st_ino
assert {plan["files"][extent["file"]]["path"] for extent in plan["extents"]} == {app, real + "/data"}
assert all(probe["path"] in files for probe in plan["probes"])
EOF_PYTHON
	echo more >>"$real/data"
	rm "$real/link"
	show "$tmp/plan"
	says '^  here +stale: 1 changed, 1 gone; headstart leaves them out$'
	says '  changed  .*data$'
}

# A name cannot control the terminal, and is valid JSON all the same.
case_hostile_name_is_escaped() {
	printf 'program /p\nfile regular /p\nrange 0 1 0 1\nfile regular /\033[31m\302\233\377\nrange 0 1 1 1\n' |
		"$make_profile" "$tmp/hostile"
	for locale in C C.UTF-8; do
		LC_ALL=$locale show "$tmp/hostile"
		says '  /\\x1b\[31m\\xc2\\x9b\\xff$'
	done
	show --json "$tmp/hostile"
	[ "$(json "$tmp/out" 'TOP["files"][1]["path"] == "/\033[31m\u009b\ufffd"')" = True ] || fail "JSON of a hostile name: $(cat "$tmp/out")"
}

# One sentence for what cannot be shown.
cp "$tmp/plan" "$tmp/good-plan"
cp "$tmp/profile" "$tmp/good-profile"
poked() { # FILE OFFSET OCTAL
	cp "$tmp/good-$1" "$tmp/poked"
	poke "$tmp/poked" "$2" "\\$3"
}

case_damaged_file_is_one_sentence() {
	for what in profile plan; do
		size=$(stat -c %s "$tmp/$what")
		poked $what 8 377
		refuses 1 "'$tmp/poked' was made by a newer headstart" "$headstart" show "$tmp/poked"
		poked $what 8 1
		refuses 1 "'$tmp/poked' was made by an older headstart" "$headstart" show "$tmp/poked"
		poked $what 40 377
		refuses 1 "'$tmp/poked' is damaged" "$headstart" show --json "$tmp/poked"
		for keep in $((size - 1)) $((size / 2)) 70 8; do
			head -c "$keep" "$tmp/$what" >"$tmp/cut"
			refuses 1 "'$tmp/cut' is truncated: the end of the $what is missing" "$headstart" show "$tmp/cut"
		done
		head -c 7 "$tmp/$what" >"$tmp/cut"
		refuses 1 "'$tmp/cut' is neither a headstart profile nor a plan" "$headstart" show "$tmp/cut"
		{ cat "$tmp/$what"; echo; } >"$tmp/long"
		refuses 1 "'$tmp/long' is damaged" "$headstart" show "$tmp/long"
	done
}

# The last page of a file is seldom full.
case_no_more_is_touched_than_the_file_has() {
	head -c 9000 "$real/data" >"$real/short"
	printf 'program %s\nfile regular %s\nrange 0 3 0 1\n' "$app" "$real/short" | "$make_profile" "$tmp/all-of-it"
	show "$tmp/all-of-it"
	says '^ *touched +9\.0 kB in 1 range of 1 file'
	says '^ +9\.0 kB +9\.0 kB +1 .*short$'
	printf 'program %s\nfile regular %s\nrange 0 2 0 2\nrange 2 1 2 1\n' "$app" "$real/short" | "$make_profile" "$tmp/all-of-two-runs"
	show "$tmp/all-of-two-runs"
	says '^ *touched +9\.0 kB in 2 ranges of 1 file'
	says '^ +8\.2 kB in every run, 808 B in one run alone$'
	"$headstart" plan -o "$tmp/plan-of-all" "$tmp/all-of-it" >/dev/null || fail "no plan"
	show "$tmp/plan-of-all"
	says '^ +9\.0 kB +9\.0 kB +1 .*short$'
}

# The page of a terminal of 80 columns: no line is wider, and paths end as they do; a pipe gets them whole.
case_lines_fit_the_page_and_pipes_get_whole_paths() {
	long=/usr/share/$(printf 'a-folder/%.0s' 1 2 3 4 5 6 7 8 9 10)end
	printf 'program /p\nfile regular %s\nrange 0 3 0 1\nexec %s 0\n' "$long" "$long" | "$make_profile" "$tmp/long-path"
	COLUMNS=80 LC_ALL=C.UTF-8 "$headstart" show "$tmp/long-path" >"$tmp/out"
	python3 -c 'import sys; sys.exit(max(len(line) for line in open(sys.argv[1]).read().split("\n")) > 80)' "$tmp/out" ||
		fail "lines over 80 columns: $(cat "$tmp/out")"
	[ "$(grep -c '….*a-folder/end$' "$tmp/out")" = 2 ] || fail "the ends of the paths are missing: $(cat "$tmp/out")"
	env -u COLUMNS "$headstart" show "$tmp/long-path" >"$tmp/out"
	[ "$(grep -c "  $long\$" "$tmp/out")" = 2 ] || fail "a pipe does not get whole paths: $(cat "$tmp/out")"
}

case_other_file_is_one_sentence() {
	: >"$tmp/empty"
	mkfifo "$tmp/fifo"
	refuses 1 "'$tmp/empty' is empty" "$headstart" show "$tmp/empty"
	refuses 1 "'$tmp' is a folder" "$headstart" show "$tmp"
	refuses 1 "'$tmp/fifo' is not a regular file" "$headstart" show "$tmp/fifo"
	opens_not "$tmp/fifo" "$headstart" show "$tmp/fifo"
	refuses 1 "'/dev/zero' is not a regular file" "$headstart" show /dev/zero
	refuses 1 "'/bin/sh' is neither" "$headstart" show /bin/sh
	refuses 1 "cannot read '$tmp/missing': No such file" "$headstart" show "$tmp/missing"
	{ printf 'HSPROF\r\n'; truncate -s 65M /dev/stdout; } >"$tmp/large"
	refuses 1 "cannot read '$tmp/large': File too large" "$headstart" show "$tmp/large"
	refuses 1 "cannot write to standard output" sh -c '"$1" show "$2" >/dev/full' sh "$headstart" "$tmp/profile"
	refuses 1 "cannot write to standard output" sh -c '"$1" show --json "$2" >/dev/full' sh "$headstart" "$tmp/plan"
}

# If the end of the output did not fit into a full buffer, the write before the last one has failed. Its reason is gone then, and no other
# one is made up.
case_failed_write_has_no_wrong_reason() {
	described() { printf 'program /p\ncommand %s\nfile regular %s\nrange 0 1 0 1\n' "$1" "$real/data" | "$make_profile" "$tmp/written"; }
	described x
	size=$("$headstart" show --json "$tmp/written" | wc -c)
	buffer=$(stat -c %o /dev/full)
	for n in 1 2 3; do
		described "$(head -c $((buffer - size + n + 1)) /dev/zero | tr '\0' x)"
		refuses 1 "cannot write to standard output" sh -c '"$1" show --json "$2" >/dev/full' sh "$headstart" "$tmp/written"
		! grep -q 'Input/output error' "$tmp/err" || fail "$n bytes more than a buffer: $(cat "$tmp/err")"
	done
}

case_wrong_arguments_are_refused() {
	refuses 2 "no file or program given" "$headstart" show
	refuses 2 "unexpected argument '$tmp/plan'" "$headstart" show "$tmp/plan" "$tmp/plan"
	refuses 2 "'x' is not a number" "$headstart" show --files x "$tmp/plan"
	refuses 2 "unknown option '--nonsense'" "$headstart" show --nonsense "$tmp/plan"
	refuses 2 "unknown option '-x'" "$headstart" show -ax "$tmp/plan"
	refuses 2 "unknown option '-x'" "$headstart" show -xa "$tmp/plan"
	refuses 2 "unknown option '-x'" "$headstart" show "$tmp/plan" --json -xa
	refuses 2 "unknown option '--all=3'" "$headstart" show --all=3 "$tmp/plan"
	refuses 2 "option '-n' needs a value" "$headstart" show -an
}

case_profile_of_another_user_is_refused() {
	if [ "$(id -u)" = 0 ]; then
		for_others "$headstart" "$headstart-tool"
		cp "$tmp/profile" "$others"
		chmod 600 "$others/profile"
		refuses 1 "cannot read '$others/profile': Permission denied" \
			$as_nobody "$others/headstart" show "$others/profile"
	else
		untried "another user's profile: not root"
	fi
}

run_cases
