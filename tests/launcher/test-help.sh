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
	refuses 2 "unknown verb 'fly'; see 'headstart --help'. To start a program: 'headstart run -- fly'" "$headstart" fly
	refuses 2 "unknown option '--verison' (did you mean '--version'?)" "$headstart" --verison
	refuses 2 "unknown option '-v'; see 'headstart --help'" "$headstart" -v
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

case_output_that_cannot_be_written_is_reported() {
	for command in --help --version "help run" "run --help" "list --help" "undo --help"; do
		refuses 1 "cannot write to standard output: No space left" sh -c "'$headstart' $command >/dev/full"
	done
	for program in "$prefetch" "$HEADSTART_TEST_BUILD/tools/headstartd"; do
		[ -x "$program" ] || continue # a build without the recorder has no daemon
		for option in --help --version; do
			refuses 1 "cannot write to standard output: No space left" sh -c "'$program' $option >/dev/full"
		done
	done
	for command in --version "list --help"; do # one program each
		refuses 1 "cannot write to standard output: Bad file descriptor" sh -c "'$headstart' $command >&-"
	done
}

case_program_gets_the_streams_that_we_got() {
	tell='for fd in 0 1 2; do [ ! -e /proc/$$/fd/$fd ] || echo $fd >&3; done'
	for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
		sh -c "exec sh -c '$tell' 3>'$tmp/before' $closed"
		sh -c "exec '$headstart' run -- sh -c '$tell' 3>'$tmp/after' $closed"
		[ "$(wc -l <"$tmp/before")" -lt 3 ] || fail "$closed: all are open"
		diff "$tmp/before" "$tmp/after" || fail "$closed: the program gets others"
	done
}

run_cases
