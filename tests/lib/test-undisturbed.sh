#!/bin/sh
# until_undisturbed repeats what failed while something disturbed it, at most ten times, and nothing else.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
counted=$(disturbances) # the real ones
drops=0
disturbances() { echo "the caches were emptied: $drops"; }

tries=$tmp/tries
succeeds_in() { # succeeds_in TRY…, by set -e
	echo >>"$tries"
	[ "$(wc -l <"$tries")" = "$1" ]
	true
}

# try DISTURBED COMMAND…: prints the command's status; DISTURBED says whether the caches are emptied during each try.
try() {
	rm -f "$tries"
	disturbed_or_not=$1
	shift
	disturbances() {
		[ "$disturbed_or_not" = yes ] && drops=$(cat "$tries" 2>/dev/null | wc -l)
		echo "the caches were emptied: $drops"
	}
	set +e
	(
		set -e
		until_undisturbed "$@"
	) >"$tmp/out" 2>"$tmp/err"
	result=$?
	set -e
}

case_disturbances_are_counted() {
	echo "$counted" | grep -q '^the caches were emptied: [0-9]' || fail "nothing is counted: $counted"
}

case_success_is_not_repeated() {
	try no succeeds_in 1
	[ "$result" = 0 ] || fail "a success is none: $(cat "$tmp/err")"
	try no succeeds_in 2
	[ "$result" = 1 ] && [ "$(wc -l <"$tries")" = 1 ] || fail "a failure that nothing disturbed is repeated: $(cat "$tmp/out")"
}

case_disturbed_failure_is_repeated() {
	try yes succeeds_in 3
	[ "$result" = 0 ] && [ "$(wc -l <"$tries")" = 3 ] || fail "what was disturbed is not repeated: $(cat "$tmp/out" "$tmp/err")"
	grep -q "^try 2 of 'succeeds_in 3' failed, disturbed (the caches were emptied)" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
}

case_ten_tries_are_all() {
	try yes succeeds_in 11
	[ "$result" = 1 ] && [ "$(wc -l <"$tries")" = 10 ] || fail "not ten tries: $(wc -l <"$tries")"
}

# for_others makes copies that belong to root and that everybody can execute.
case_others_can_execute_their_copies() {
	[ "$(id -u)" = 0 ] || skip "not root"
	have setpriv || return 0
	chmod 700 "$tmp"
	for_others "$headstart" "$headstart-tool"
	$as_nobody "$others/headstart" --version >"$tmp/out" || fail "others cannot run it"
}

run_cases
