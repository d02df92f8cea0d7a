#!/bin/sh
# What until_undisturbed repeats: what failed while something disturbed it, ten times at most; nothing else.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
disturbances | grep -q '^the caches were emptied: [0-9]' || fail "nothing is counted: $(disturbances)"
drops=0
disturbances() { echo "the caches were emptied: $drops"; }

tries=$tmp/tries
succeeds_in() { # succeeds_in TRY…, by set -e
	echo >>"$tries"
	[ "$(wc -l <"$tries")" = "$1" ]
	true
}
# try DISTURBED COMMAND…: its status, with the caches emptied during each try or not.
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
try no succeeds_in 1
[ "$result" = 0 ] || fail "a success is none: $(cat "$tmp/err")"
try no succeeds_in 2
[ "$result" = 1 ] && [ "$(wc -l <"$tries")" = 1 ] || fail "a failure that nothing disturbed is repeated: $(cat "$tmp/out")"
try yes succeeds_in 3
[ "$result" = 0 ] && [ "$(wc -l <"$tries")" = 3 ] || fail "what was disturbed is not repeated: $(cat "$tmp/out" "$tmp/err")"
grep -q "^try 2 of 'succeeds_in 3' failed, disturbed (the caches were emptied)" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
try yes succeeds_in 11
[ "$result" = 1 ] && [ "$(wc -l <"$tries")" = 10 ] || fail "not ten tries: $(wc -l <"$tries")"

# for_others: root's copies, which everybody can execute.
[ "$(id -u)" = 0 ] || {
	untried "for_others: not root"
	exit 0
}
have setpriv || exit 0
chmod 700 "$tmp"
for_others "$headstart" "$headstart-tool"
setpriv --reuid 65534 --regid 65534 --clear-groups "$others/headstart" --version >"$tmp/out" || fail "others cannot run it"
