#!/bin/sh
# What shells complete after 'headstart' is what the programs take: every verb, every option of --help, every value that an error
# message lists, and the programs that have a plan.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
made=$HEADSTART_TEST_BUILD/tools/completions
type_tab=$HEADSTART_TEST_SOURCE/tests/completions/type-tab
export HEADSTART_STATE="$tmp/state" HOME="$tmp" XDG_CONFIG_HOME="$tmp" XDG_DATA_HOME="$tmp"
mkdir "$tmp/state" "$tmp/bin"

# A program that is recorded, one whose name is not in PATH, and a name that a shell must not expand.
printf '#!/bin/sh\n' >"$tmp/bin/zebra-recorded"
chmod +x "$tmp/bin/zebra-recorded"
export PATH="$tmp/bin:$PATH"
: >"$tmp/state/zebra-recorded-0123456789abcdef.profile"
: >"$tmp/state/zebra-recorded-0123456789abcdef@0123456789abcdef.plan"
: >"$tmp/state/zebra-elsewhere-0123456789abcdef.plan"
: >"$tmp/state/\$(touch $(echo "$tmp" | tr / _))-0123456789abcdef.plan"

verbs=$("$headstart" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
help_options() {
	"$headstart" "$1" --help | sed -n '/^options:/,$p' | grep -oE '^  (-[a-zA-Z], |    )--[a-z-]+' | grep -oE -- '--?[a-zA-Z][a-z-]*' | sort -u
}

# Prints what bash offers for the last of the words.
bash_offers() {
	bash --norc -c 'shopt -u nullglob; . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _headstart; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$made/headstart" "$@" | sort -u
}

expect() { # WANTED GOT WHAT
	[ "$2" = "$1" ] || fail "$3: offered '$2', not '$1'"
}

case_bash_offers_every_verb() {
	expect "$(printf '%s\n' $verbs help --help --version | sort)" "$(bash_offers headstart '')" "verbs"
	expect uninstall "$(bash_offers headstart un | grep -v undo)" "a verb"
	expect "$(printf '%s\n' $verbs | sort)" "$(bash_offers headstart help '')" "help"
}

case_bash_offers_every_option() {
	for verb in $verbs; do
		expect "$(help_options "$verb")" "$(bash_offers headstart "$verb" -)" "$verb"
	done
	expect --verbose "$(bash_offers headstart run --ve)" "one option"
}

# The verb's own message lists the values.
case_bash_offers_the_values_that_are_valid() {
	for option in 'run --wait' 'plan --device' 'record --until' 'measure --until' 'order --for' 'export --format'; do
		offered=$(bash_offers headstart ${option% *} "${option#* }" '')
		"$headstart" $option wrong x >"$tmp/out" 2>"$tmp/err" && fail "$option takes a wrong value"
		listed=$(sed -n 's/; see .*//; s/.*use //p' "$tmp/err" | tr -d '\n' | sed 's/ or /, /g; s/, /\n/g' | sed 's/:.*/:/; s/ (.*//' | sort -u)
		expect "$listed" "$offered" "$option ($(cat "$tmp/err"))"
	done
	expect done "$(bash_offers headstart run --wait = d)" "--wait=d"
	expect "$(printf '%s\n' auto done none)" "$(bash_offers headstart run --wait =)" "--wait="
	expect "$(printf '%s\n' apply check)" "$(bash_offers headstart config '')" "config"
}

case_bash_offers_programs_with_a_plan() {
	for words in show list forget doctor 'plan --program' run record measure 'run --verbose' 'run --'; do
		expect zebra-recorded "$(bash_offers headstart $words zebra)" "$words"
	done
	expect "$(printf '%s\n' "$tmp/bin")" "$(bash_offers headstart plan --root "$tmp/bi")" "folders"
	[ "$(find "$tmp" -maxdepth 1 | grep -c touch)" = 0 ] || fail "the name of a plan was expanded"
}

# The rest of the line belongs to the program.
case_bash_offers_no_options_behind_the_program() {
	cd "$tmp/bin"
	expect zebra-recorded "$(bash_offers headstart run --wait none true zebra)" "an argument of the program"
	expect '' "$(bash_offers headstart run true --ver)" "an option of the program"
}

case_bash_completes_what_is_typed() {
	"$type_tab" 'headstart sta' ". '$made/headstart'" -- bash --norc -i >"$tmp/out"
	grep -q 'headstart status ' "$tmp/out" || fail "no verb: $(cat "$tmp/out")"
	"$type_tab" 'headstart show zebr' ". '$made/headstart'" -- bash --norc -i >"$tmp/out"
	grep -q 'headstart show zebra-recorded ' "$tmp/out" || fail "no program: $(cat "$tmp/out")"
}

case_zsh_offers_the_same() {
	have zsh || skip "no zsh"
	setup="fpath=('$made' \$fpath); autoload -U compinit; compinit -u -D; zstyle ':completion:*' list-colors ''; setopt no_list_ambiguous"
	for verb in $verbs; do
		"$type_tab" "headstart $verb -" "$setup" -- zsh -f -i >"$tmp/out"
		expect "$(help_options "$verb" | grep -- --)" "$(grep -oE -- '--[a-z][a-z-]+' "$tmp/out" | sort -u)" "zsh, $verb: $(cat "$tmp/out")"
	done
	"$type_tab" 'headstart sta' "$setup" -- zsh -f -i >"$tmp/out"
	grep -q 'headstart status ' "$tmp/out" || fail "zsh: no verb: $(cat "$tmp/out")"
	"$type_tab" 'headstart run zebr' "$setup" -- zsh -f -i >"$tmp/out"
	grep -q 'headstart run zebra-recorded ' "$tmp/out" || fail "zsh: no program: $(cat "$tmp/out")"
}

fish_offers() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$made/headstart.fish" "$1" | cut -f 1 | sort -u
}

case_fish_offers_the_same() {
	have fish || skip "no fish"
	expect "$(printf '%s\n' $verbs help | sort)" "$(fish_offers 'headstart ')" "fish, verbs"
	for verb in $verbs; do
		expect "$(help_options "$verb" | grep -- --)" "$(fish_offers "headstart $verb --" | sed 's/=$//')" "fish, $verb"
	done
	expect zebra-recorded "$(fish_offers 'headstart show zebra')" "fish, a program with a plan"
	expect "$(printf '%s\n' auto done none)" "$(fish_offers 'headstart run --wait ')" "fish, values"
}

# The generator does not go on when the programs no longer have what it takes for granted.
case_stale_choice_stops_the_build() {
	cp -r "$HEADSTART_TEST_SOURCE/tools" "$tmp/tools"
	sed -i 's/rotational, solid or lazy\\n/rotational, firm or lazy\\n/' "$tmp/tools/verbs/plan/cmd-plan.c"
	refuses 1 "no longer has the value 'solid'" "$tmp/tools/completions/generate" bash "$tmp/tools" /state "$tmp/made" "$tmp/made.d"
}

run_cases
