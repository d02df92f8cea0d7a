#!/bin/sh
# Whoever makes a plan or takes it back sees to the signs of the program's other names, which nobody takes for plans.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE="$tmp/state" HEADSTART_CONFIG="$tmp/headstart.conf" PATH="$tmp/bin:$PATH"
real=$(realpath "$tmp")

mkdir "$tmp/bin" "$tmp/lib" "$tmp/state"
dd if=/dev/urandom of="$tmp/lib/app" bs=4096 count=64 status=none
chmod +x "$tmp/lib/app"
ln -s ../lib/app "$tmp/bin/app"
ln -s app "$tmp/bin/alias"
"$make_profile" "$tmp/app.profile" <<-EOF_PROFILE
	program $real/lib/app
	file regular $real/lib/app
	range 0 4 1 2
EOF_PROFILE
signs() { find "$tmp/state" -type l -lname "$(basename "${plan:-none}")" | wc -l; }
expect_signs() { [ "$(signs)" = "$1" ] || fail "$2: $(signs) signs, not $1: $(ls -l "$tmp/state")"; }

"$headstart" plan -o "$tmp/elsewhere.plan" "$tmp/app.profile" >/dev/null || fail "plan -o"
[ -z "$(ls "$tmp/state")" ] || fail "a plan that is not in the store has signs"
"$headstart" plan "$tmp/app.profile" >/dev/null || fail "plan"
plan=$(find "$tmp/state" -type f -name '*.plan')
expect_signs 2 "plan"
cp "$tmp/app.profile" "${plan%.plan}.profile"

"$headstart" status --json | grep -q '"plans": *1[,}]' || fail "status counts signs: $(cat "$tmp/out")"
"$headstart" doctor --json >"$tmp/out" || true
grep -q 'others may have written' "$tmp/out" && fail "doctor takes a sign for a plan: $(cat "$tmp/out")"

printf '[programs]\ndeny = %s\n' "$real/lib/app" >"$HEADSTART_CONFIG"
"$headstart" config apply >"$tmp/out" || fail "config apply"
[ ! -e "$plan" ] || fail "the plan of a denied program stays"
expect_signs 0 "deny"
: >"$HEADSTART_CONFIG"
rm "$tmp/bin/alias"
"$headstart" config apply >"$tmp/out" || fail "config apply"
expect_signs 1 "config apply"
