#!/bin/sh
# SPDX-License-Identifier: MIT
# Every member of what --json prints is in the page that describes it, in bold or underlined.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
cd "$HEADSTART_TEST_SOURCE"

# The names that the files give to members.
members() {
	cat "$@" | tr '\n\t' '  ' | grep -oE '((_add|add_[a-z_]+|member[a-z_]*|begin_array)\([^;"]*, *"[a-z_]+"|\{"[a-z_]+", [a-z]+->)' |
		sed 's/.*"\([a-z_]*\)".*/\1/' | sort -u
}

# described PAGE FILE…: has the page all members of the files?
described() {
	page=man/$1.scd
	shift
	members "$@" >"$tmp/members"
	[ "$(wc -l <"$tmp/members")" -ge 5 ] || fail "$*: no members found"
	tr -d '\\' <"$page" >"$tmp/page"
	missing=
	while read -r member; do
		grep -qE "(^|[^a-z_])[*_]$member[*_]([^a-z_]|\$)" "$tmp/page" || missing="$missing $member"
	done <"$tmp/members"
	[ -z "$missing" ] || fail "$page does not describe:$missing"
}

# quoted NAME…: has headstart-profile(5) these values?
quoted() {
	for name; do
		grep -qF "\"$name\"" man/headstart-profile.5.scd || fail "headstart-profile(5) does not have \"$name\""
	done
}

case_page_describes_each_member() {
	described headstart-diff.1 src/report/profiles/difference.c
	described headstart-measure.1 tools/verbs/measure/report.c
	described headstart-plan.1 tools/verbs/plan/report.c
	described headstart-profile.5 src/report/profiles/json.c
	described headstart-record.1 tools/verbs/record/report.c
	described headstart-report.1 src/report/timelines/json.c
	described headstart-snapshot.1 tools/verbs/snapshot/cmd-snapshot.c
	described headstart-status.1 tools/verbs/cmd-status.c
}

case_page_has_each_backend_and_bias() {
	backends=$(sed -n '/^const char \*words_backend_name/,/^}/s/.*return "\(.*\)";/\1/p' src/report/words.c)
	biases=$(sed -n '/^const struct words_bias/,/^};/s/.*{PROFILE_BIAS_[A-Z]*, "\([a-z]*\)",.*/\1/p' src/report/words.c)
	[ -n "$backends" ] && [ -n "$biases" ] || fail "the names are not found"
	quoted $backends $biases
}

case_missing_member_is_seen() {
	printf 'add_number(object, "no_such_member", 1);\nadd_text(object,\n\t"another", "text");member(a, "c", b);add_x(a, "d", e);add_x(a, "e", e);' >"$tmp/wrong.c"
	(described headstart-plan.1 "$tmp/wrong.c") 2>"$tmp/err" && fail "it is not seen"
	grep -q "does not describe:.* another .*no_such_member" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
}

run_cases
