#!/bin/sh
# headstart merge: several recordings into one profile.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v python3 >/dev/null || skip "no python3"

profile() { # NAME PROGRAM, ranges on stdin
	{ printf 'program %s\nfile regular /lib/a\n' "$2"; cat; } | "$make_profile" "$tmp/$1"
}
echo 'range 0 10 0 1' | profile one /bin/a
echo 'range 5 10 0 1' | profile two /bin/a
echo 'range 5 10 0 1' | profile other /bin/b

case_runs_add_up() {
	"$headstart" merge -o "$tmp/merged" "$tmp/one" "$tmp/two" || fail "merging failed"
	"$headstart" merge --output="$tmp/one-alone" "$tmp/one" || fail "merging one failed"
	cmp "$tmp/one" "$tmp/one-alone" || fail "one alone is not itself"
	"$headstart" show --json "$tmp/merged" >"$tmp/json"
	json "$tmp/json" - <<'EOF_PYTHON'
assert TOP["runs"] == 2
assert TOP["files"][0]["ranges"] == [{"page": 0, "pages": 5, "order": 0, "runs": 1},
                                     {"page": 5, "pages": 5, "order": 5, "runs": 2},
                                     {"page": 10, "pages": 5, "order": 10, "runs": 1}]
EOF_PYTHON
	[ "$(stat -c %a "$tmp/merged")" = 644 ] || fail "mode is $(stat -c %a "$tmp/merged")"
}

# As the stored profile of what another user started: others must not read it in another file.
case_what_only_root_may_read_stays_so() {
	[ "$(id -u)" = 0 ] || { untried "not root"; return; }
	cp "$tmp/two" "$tmp/secret"
	chmod 600 "$tmp/secret"
	"$headstart" merge -o "$tmp/told" "$tmp/one" "$tmp/secret" || fail "merging failed"
	"$headstart" export --format ranges -o "$tmp/told-list" "$tmp/secret" >/dev/null || fail "exporting failed"
	for told in "$tmp/told" "$tmp/told-list"; do
		[ "$(stat -c %a "$told")" = 600 ] || fail "'$told' has mode $(stat -c %a "$told")"
	done
}

case_output_may_be_an_input() {
	"$headstart" merge -o "$tmp/merged" "$tmp/merged" "$tmp/two" || fail "merging onto itself failed"
	"$headstart" show "$tmp/merged" | grep -q '^  runs *3$' || fail "not three runs"
}

case_bad_input_leaves_the_output_alone() {
	cp "$tmp/merged" "$tmp/before"
	head -c 100 "$tmp/two" >"$tmp/cut"
	refuses 1 "'$tmp/cut' is truncated" "$headstart" merge -o "$tmp/merged" "$tmp/one" "$tmp/cut"
	refuses 1 "'$tmp/other' is a profile of '/bin/b', not of '/bin/a'" \
		"$headstart" merge -o "$tmp/merged" "$tmp/one" "$tmp/other"
	refuses 1 "cannot read '$tmp/missing': No such file" "$headstart" merge -o "$tmp/merged" "$tmp/missing"
	refuses 1 "'/bin/sh' is not a headstart profile" "$headstart" merge -o "$tmp/merged" /bin/sh
	mkfifo "$tmp/fifo"
	refuses 1 "'$tmp/fifo' is not a regular file" "$headstart" merge -o "$tmp/merged" "$tmp/fifo"
	cmp "$tmp/merged" "$tmp/before" || fail "a failed merge changed its output"
	refuses 1 "cannot write '$tmp/no/such/folder': No such file" "$headstart" merge -o "$tmp/no/such/folder" "$tmp/one"
	[ "$(find "$tmp" -name 'merged?*' | wc -l)" = 0 ] || fail "temporary files are left"
}

case_umask_decides_who_may_read_the_output() {
	(umask 077 && "$headstart" merge -o "$tmp/closed" "$tmp/one" && "$headstart" export --format ranges -o "$tmp/list" "$tmp/one" >/dev/null)
	[ "$(stat -c %a "$tmp/closed" "$tmp/list" | sort -u)" = 600 ] || fail "modes are $(stat -c %a "$tmp/closed" "$tmp/list")"
	(umask 0 && "$headstart" merge -o "$tmp/open" "$tmp/one")
	[ "$(stat -c %a "$tmp/open")" = 644 ] || fail "others may write to a profile"
}

# A recording takes minutes, so that is said before it.
case_output_that_cannot_be_is_refused_at_once() {
	refuses 1 "the output has no name" "$headstart" merge -o "" "$tmp/no-such-profile"
	refuses 1 "'$tmp' is a folder: give the name of a file in it" "$headstart" merge -o "$tmp" "$tmp/no-such-profile"
	for path in "$tmp/$(printf 'x%.0s' $(seq 300))" "$tmp/one/below"; do
		refuses 1 "cannot write '$path'" "$headstart" export --format ranges -o "$path" "$tmp/one"
		[ -z "$(find "$tmp" -name '.*headstart-*')" ] || fail "'$path': a temporary file is left"
		refuses 1 "cannot write '$path'" "$headstart" merge -o "$path" "$tmp/no-such-profile"
	done
}

case_somebody_else_s_file_in_a_shared_folder_is_refused_at_once() {
	[ "$(id -u)" = 0 ] || skip "not root"
	mkdir -m 1777 "$tmp/shared"
	chmod 755 "$tmp"
	cp "$tmp/one" "$tmp/shared/roots"
	for_others "$headstart" "$headstart-tool"
	refuses 1 "'$tmp/shared/roots' belongs to another user" $as_nobody "$others/headstart" merge -o "$tmp/shared/roots" "$tmp/no-such-profile"
}

case_fifo_is_not_replaced_by_a_file() {
	mkfifo "$tmp/output"
	refuses 1 "'$tmp/output' is not a regular file" "$headstart" merge -o "$tmp/output" "$tmp/one"
	[ -p "$tmp/output" ] || fail "merge replaced a FIFO"
}

case_wrong_arguments_are_refused() {
	refuses 1 "cannot write '$tmp/none/output'" "$headstart" merge -o "$tmp/none/output" "$tmp/one"
	refuses 2 "no profile given" "$headstart" merge -o "$tmp/merged"
	refuses 2 "no output given" "$headstart" merge "$tmp/one"
	refuses 2 "'-o' needs a value" "$headstart" merge "$tmp/one" -o
	[ "$(find "$tmp" -name 'merged?*' | wc -l)" = 0 ] || fail "temporary files are left"
}

run_cases
