#!/bin/sh
# 'headstart help', and what is said of words that headstart does not know.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"

case_help_of_a_verb_is_what_the_verb_says() {
	for verb in run show merge; do # one that the launcher has, two that it hands on
		"$headstart" "$verb" --help >"$tmp/says"
		"$headstart" help "$verb" | diff "$tmp/says" - || fail "'help $verb' is not '$verb --help'"
	done
	"$headstart" --help >"$tmp/says"
	"$headstart" help | diff "$tmp/says" - || fail "'help' is not '--help'"
	refuses 2 "unknown verb 'fly'" "$headstart" help fly
}

case_near_verb_is_suggested() {
	refuses 2 "unknown verb 'shwo' (did you mean 'show'?); see 'headstart --help'" "$headstart" shwo
	refuses 2 "(did you mean 'relayout'?)" "$headstart" relay
	refuses 2 "unknown verb 'fly'; see 'headstart --help'" "$headstart" fly
	refuses 2 "unknown verb ''; see" "$headstart" ''
	refuses 2 "unknown verb 'a?b'" "$headstart" "$(printf 'a\033b')"
	refuses 2 "unknown verb 'a??b'" "$headstart" "$(printf 'a\302\233b')"
	refuses 2 "unknown verb '$(printf 'a\302\240b')'" "$headstart" "$(printf 'a\302\240b')"
}

case_near_option_is_suggested() {
	refuses 2 "unknown option '--ouptut' (did you mean '--output'?); see 'headstart merge --help'" "$headstart" merge --ouptut x
	refuses 2 "unknown option '--wiat=done' (did you mean '--wait'?); see" "$headstart" run --wiat=done -- true
	refuses 2 "unknown option '--nonsense'; see" "$headstart" run --nonsense -- true
	refuses 2 "unknown option '-x'; see" "$headstart" show -x y
}

run_cases
