#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording joins those of other starts and replaces that of the same start; one that is worth less is kept out.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
chmod 755 "$tmp" "$disk" # a profile that tells of files that not everybody may read is for root alone
export HEADSTART_HOSTS="$tmp/hosts.d"
mkdir "$HEADSTART_HOSTS"
host=$(realpath "$disk")/host
cp "$(realpath "$(command -v dash)")" "$host" # which is no script: its name is that of the profile
printf '[host]\noperand = file\n-c = operand\n' >"$HEADSTART_HOSTS/test.conf"
head -c 400000 /dev/urandom >"$disk/data"
echo "read line <$disk/data" >"$disk/one.sh"
echo "cat $disk/data >/dev/null" >"$disk/two.sh"
echo 'exit 3' >"$disk/fails.sh"

recording() { "$tool" record --quiet --no-drop "$@" >"$tmp/out" 2>"$tmp/err"; }
starts() { "$tool" list --json "$host" >"$tmp/list" && json "$tmp/list" '" ".join(sorted(entry["arguments"][0].split("/")[-1] for entry in TOP))'; }
has() { [ "$(starts)" = "$1" ] || fail "recorded are '$(starts)', not '$1': $(cat "$tmp/err")"; }

case_recordings_of_different_starts_stand_side_by_side() {
	recording -- "$host" "$disk/one.sh" || fail "$(cat "$tmp/err")"
	recording -- "$host" "$disk/two.sh" || fail "$(cat "$tmp/err")"
	has "one.sh two.sh"
	[ "$(ls "$HEADSTART_STATE" | grep -c '^host-.*@.*\.plan$')" = 2 ] || fail "$(ls "$HEADSTART_STATE")"
}

case_same_start_replaces_its_recording() {
	recording -- "$host" "$disk/../disk/one.sh" || fail "$(cat "$tmp/err")"
	has "one.sh two.sh"
	json "$tmp/list" '" ".join(entry["arguments"][0] for entry in TOP)' | grep -q "/\.\./disk/one.sh" || fail "it is the old one"
}

case_failed_start_is_kept_out_unless_forced() {
	! "$tool" record --no-drop -- "$host" "$disk/fails.sh" 2>"$tmp/err" || fail "a failed start is kept"
	[ "$(grep "exited with" "$tmp/err")" = "headstart: not kept: '$host' exited with status 3 (--force keeps it)" ] || fail "$(cat "$tmp/err")"
	has "one.sh two.sh"
	recording --force -- "$host" "$disk/fails.sh" || fail "--force: $(cat "$tmp/err")"
	has "fails.sh one.sh two.sh"
	recording -- "$host" "$disk/fails.sh" || fail "a start that always fails is kept out: $(cat "$tmp/err")"
}

case_killed_start_is_kept_out() {
	echo 'kill -9 $$' >"$disk/killed.sh"
	! recording -- "$host" "$disk/killed.sh" || fail "a killed start is kept"
	grep -qF "was ended by signal 9" "$tmp/err" || fail "$(cat "$tmp/err")"
	has "fails.sh one.sh two.sh"
}

case_shorter_start_is_kept_out() {
	echo "cat $disk/data /usr/bin/a* >/dev/null" >"$disk/grown.sh"
	recording -- "$host" "$disk/grown.sh" || fail "$(cat "$tmp/err")"
	echo : >"$disk/grown.sh"
	! recording -- "$host" "$disk/grown.sh" || fail "a start that touched next to nothing is kept"
	grep -q "not kept: this start of '$host' touched .*, the one recorded before .* (--force keeps it)" "$tmp/err" ||
		fail "$(cat "$tmp/err")"
	recording --force -- "$host" "$disk/grown.sh" || fail "--force: $(cat "$tmp/err")"
}

case_recording_of_another_user_is_for_root_alone() {
	profile=$(ls "$HEADSTART_STATE"/host-*.profile)
	[ "$(stat -c %a "$profile")" = 644 ] || fail "root's own: $(stat -c %a "$profile")"
	recording --user nobody -- "$host" -c : || fail "$(cat "$tmp/err")"
	[ "$(stat -c %a "$profile")" = 600 ] || fail "of another user: $(stat -c %a "$profile")"
	recording -- "$host" "$disk/two.sh" || fail "$(cat "$tmp/err")"
	[ "$(stat -c %a "$profile")" = 600 ] || fail "one of another user's is still in it: $(stat -c %a "$profile")"
}

run_cases
