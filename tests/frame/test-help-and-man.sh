#!/bin/sh
# Every option in a verb's --help is in its man page, and vice versa; every verb has both, in the same layout.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"

options() {
	grep -oE -- '--[a-z][a-z-]+' | sort -u
}

# Options are set in bold in the man source: *--name*.
man_options() {
	grep -oE '\*--[a-z][a-z-]+' "$1" | tr -d '*' | sort -u
}

# One letter and the name that it stands for: -h, --help.
letters() {
	sed -nE 's/^ *\*?(-[a-zA-Z])\*?, \*?(--[a-z][a-z-]+).*/\1, \2/p' "$@" | sort -u
}

compare() {
	page=$HEADSTART_TEST_SOURCE/man/$1.scd
	shift
	[ -f "$page" ] || fail "no man page $page"
	"$@" --help >"$tmp/text" || fail "'$* --help' failed"
	[ -s "$tmp/text" ] || fail "'$* --help' prints nothing"
	options <"$tmp/text" >"$tmp/help"
	man_options "$page" >"$tmp/man"
	cmp -s "$tmp/help" "$tmp/man" ||
		fail "'$* --help' and $(basename "$page") differ: $(diff "$tmp/help" "$tmp/man" | grep '^[<>]')"
	letters "$page" >"$tmp/man"
	letters "$tmp/text" | cmp -s - "$tmp/man" ||
		fail "'$* --help' and $(basename "$page") differ: $(letters "$tmp/text" | diff - "$tmp/man" | grep '^[<>]')"
	[ "$(head -c 7 "$tmp/text")" = 'usage: ' ] || fail "'$* --help' does not begin with 'usage: '"
	[ "$(grep -c '^options:$' "$tmp/text")" = 1 ] || fail "'$* --help' has no list of options"
	grep -qE '^  -h, --help +print this$' "$tmp/text" || fail "'$* --help' does not end its list as the others do"
	"$@" -h | cmp -s - "$tmp/text" || fail "'$* -h' is not '$* --help'"
	! awk 'length > 100' "$tmp/text" | grep . || fail "'$* --help' has lines over 100 columns"
}

verbs=$("$headstart" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -ge 6 ] || fail "'headstart --help' lists too few verbs: $verbs"
case_main_pages() {
	compare headstart.1 "$headstart"
	compare headstart-prefetch.8 "$prefetch"
	[ ! -x "$HEADSTART_TEST_BUILD/tools/headstartd" ] || compare headstartd.8 "$HEADSTART_TEST_BUILD/tools/headstartd"
}

case_page_of_every_verb() {
	for verb in $verbs; do
		"$headstart" "$verb" --help >"$tmp/text" 2>"$tmp/err" || {
			grep -q 'this build has no verb' "$tmp/err" && continue
			fail "'headstart $verb --help': $(cat "$tmp/err")"
		}
		compare "headstart-$verb.1" "$headstart" "$verb"
		grep -q "headstart-$verb\*(1)" "$HEADSTART_TEST_SOURCE/man/headstart.1.scd" || fail "headstart(1) does not name $verb"
	done
}

case_help_of_a_verb() {
	"$headstart" --help >"$tmp/all"
	"$headstart" run --help >"$tmp/verb"
	for words in help --help -h "help --help" "help -h"; do
		"$headstart" $words >"$tmp/text" && cmp -s "$tmp/text" "$tmp/all" || fail "'headstart $words' does not list the verbs: $(head -n 1 "$tmp/text")"
	done
	for words in "help run" "--help run" "-h run"; do
		"$headstart" $words >"$tmp/text" && cmp -s "$tmp/text" "$tmp/verb" || fail "'headstart $words' is not that of the verb: $(head -n 1 "$tmp/text")"
	done
	refuses 2 "'help' takes one verb" "$headstart" help run more
	refuses 2 "frob" "$headstart" help frob
}

run_cases
