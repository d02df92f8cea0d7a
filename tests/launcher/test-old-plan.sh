#!/bin/sh
# A plan of an older version, or a damaged one, is not used. headstart says so, and compiles it anew from the profile for the next
# start.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh" # $disk is a folder that is not in memory
export HEADSTART_STATE="$tmp/state"
real=$(realpath "$disk")
cp /bin/true "$real/app"
"$make_profile" "$tmp/app.profile" <<EOF
program $real/app
file regular $real/app
range 0 4 1 1
EOF
"$headstart" plan --device solid "$tmp/app.profile" >"$tmp/out"
plan=$(echo "$tmp"/state/app-*.plan)
cp "$tmp/app.profile" "${plan%.plan}.profile"

# Replaces one byte of the plan; the next start must compile the plan anew.
is_made_anew() { # OFFSET OCTAL
	poke "$plan" "$1" "\\$2"
	! "$headstart" show "$plan" >"$tmp/out" 2>"$tmp/err" || fail "a plan with byte $1 $2 is shown"
	gathering "$headstart" run --verbose "$real/app" 2>"$tmp/said" || fail "the program ended with $?"
	grep -qF "without prefetching: the plan is damaged or has another version" "$tmp/said" || fail "$(cat "$tmp/said")"
	"$headstart" show "$plan" >"$tmp/out" || fail "the plan was not made anew"
}

case_plan_of_an_older_version() {
	is_made_anew 8 001
	grep -qF "was made by an older headstart" "$tmp/err" || fail "$(cat "$tmp/err")"
}

case_damaged_plan() {
	is_made_anew 200 377
}

run_cases
