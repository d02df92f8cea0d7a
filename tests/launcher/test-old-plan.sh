#!/bin/sh
# A plan of an older version, or a damaged one, is not used, said to be one, and made anew from the profile for the next time.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh" # $disk: a folder that is not in memory
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

for poke in '8 001' '200 377'; do
	printf "\\${poke#* }" | dd of="$plan" bs=1 seek="${poke% *}" conv=notrunc status=none
	! "$headstart" show "$plan" >"$tmp/out" 2>"$tmp/err" || fail "a plan with byte $poke is shown"
	[ "$poke" != '8 001' ] || grep -qF "was made by an older headstart" "$tmp/err" || fail "$(cat "$tmp/err")"
	gathering "$headstart" run --verbose "$real/app" 2>"$tmp/err" || fail "the program ended with $?"
	grep -qF "without prefetching: the plan is damaged or of another version" "$tmp/err" || fail "$(cat "$tmp/err")"
	"$headstart" show "$plan" >"$tmp/out" || fail "the plan was not made anew"
done
echo ok
