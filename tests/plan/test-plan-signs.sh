#!/bin/sh
# Making a plan also makes signs for the program's other names, and removing it removes them. Nobody takes a sign for a plan.
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

"$headstart" plan "$tmp/app.profile" >/dev/null || fail "plan"
plan=$(find "$tmp/state" -type f -name '*.plan')
cp "$tmp/app.profile" "${plan%.plan}.profile"

case_plan_outside_the_store_has_no_signs() {
	mkdir "$tmp/empty"
	HEADSTART_STATE=$tmp/empty "$headstart" plan -o "$tmp/elsewhere.plan" "$tmp/app.profile" >/dev/null || fail "plan -o"
	[ -z "$(ls "$tmp/empty")" ] || fail "a plan that is not in the store has signs"
}

case_other_names_of_the_program_have_signs() {
	expect_signs 2 "plan"
}

case_sign_is_not_taken_for_a_plan() {
	"$headstart" status --json | grep -q '"plans": *1[,}]' || fail "status counts signs: $("$headstart" status --json)"
	"$headstart" doctor --json >"$tmp/out" || true
	! grep -q 'others may have written' "$tmp/out" || fail "doctor takes a sign for a plan: $(cat "$tmp/out")"
}

case_denied_program_loses_its_signs() {
	printf '[programs]\ndeny = %s\n' "$real/lib/app" >"$HEADSTART_CONFIG"
	"$headstart" config apply >"$tmp/out" || fail "config apply"
	[ ! -e "$plan" ] || fail "the plan of a denied program stays"
	expect_signs 0 "deny"
}

case_config_apply_makes_signs_again() {
	: >"$HEADSTART_CONFIG"
	rm "$tmp/bin/alias"
	"$headstart" config apply >"$tmp/out" || fail "config apply"
	expect_signs 1 "config apply"
}

run_cases
