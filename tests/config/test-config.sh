#!/bin/sh
# Settings take effect wherever plans are made and carried out, and never keep a program from starting.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
export HEADSTART_STATE="$tmp/state" HEADSTART_CONFIG="$tmp/headstart.conf"
mkdir -p "$HEADSTART_STATE"
conf=$HEADSTART_CONFIG
program=$(realpath /bin/cat)
dump=$HEADSTART_TEST_BUILD/tests/plan/dump-plan

set_conf() {
	printf "$1" >"$conf"
	chmod 644 "$conf"
}
make_cold() { "$page" out "$place/data" || fail "pages stay in the page cache"; }
dd if=/dev/zero of="$place/data" bs=64k count=8 2>/dev/null
printf 'program %s\nfile regular %s\nrange 0 128 0 1\n' "$program" "$place/data" | "$make_profile" "$tmp/profile"
"$headstart" plan "$tmp/profile" >/dev/null || fail "plan without settings"
plan=$(find "$HEADSTART_STATE" -name "*.plan" -type f) # the signs of other names are links to it
cp "$tmp/profile" "${plan%.plan}.profile"

# check: prints all problems, with file and line.
case_check_names_every_problem() {
	set_conf ''
	"$headstart" config check >"$tmp/out" || fail "check of no settings: $(cat "$tmp/out")"
	set_conf '[budget]\nmemory = 256K\nspeed = 1\n[programs]\n\nforbid = x\n'
	"$headstart" config check 2>"$tmp/err" && fail "check finds nothing wrong"
	printf '%s\n' "$conf:3: unknown key 'speed' in [budget]: use memory or time" "$conf:6: unknown key 'forbid' in [programs]: use allow or deny" |
		cmp -s - "$tmp/err" || fail "check says: $(cat "$tmp/err")"
	refuses 1 "$tmp/none: No such file" "$headstart" config check "$tmp/none"
	set_conf '[budget]\nmemory = 256K\n'
	"$headstart" config check "$conf" | grep -qx "$conf: no errors" || fail "check of a good file"
	refuses 2 "config: give 'check'" "$headstart" config
	refuses 2 "unknown 'nonsense': give 'check'" "$headstart" config nonsense
	refuses 2 "give 'check'" "$headstart" config check a b
}

asked() {
	rm -f "$tmp/log"
	make_cold
	HEADSTART_LOG="$tmp/log" gathering "$headstart" run --wait done -- "$program" /dev/null || fail "run"
	sed -n 's/.*asked=\([0-9]*\).*/\1/p' "$tmp/log" 2>/dev/null
}

# memory: applies when plans are made, and when older plans are carried out.
case_memory_limits_plans_old_and_new() {
	set_conf '[budget]\nmemory = 256K\n'
	[ "$(asked)" = 262144 ] || fail "run: memory of the settings has no effect: $(asked)"
	make_cold
	"$prefetch" --json "$plan" | grep -q '"bytes_asked": 262144' || fail "prefetcher: memory has no effect"
	"$headstart" config apply | grep -qx "plan     $program" || fail "apply"
	"$headstart" show --json "$plan" | grep -qE '"bytes": *262144' || fail "plan: memory has no effect: $("$headstart" show --json "$plan" | head -30)"
	rm "$conf"
	"$headstart" config apply >/dev/null || fail "apply without settings"
	[ "$(asked)" = 524288 ] || fail "without settings: $(asked)"
}

# It is enough to copy the profile into the folder.
case_profile_of_another_machine_gets_a_plan() {
	rm "$plan"
	"$headstart" config apply | grep -qx "plan     $program" || fail "apply"
	[ -e "$plan" ] || fail "no plan is made"
}

# Those of an older headstart alone.
case_older_plans_are_made_anew() {
	"$headstart" config apply --older >"$tmp/out" || fail "apply --older: exit status $?"
	[ ! -s "$tmp/out" ] || fail "a plan of this version is made anew: $(cat "$tmp/out")"
	poke "$plan" 8 '\001'
	"$headstart" config apply --older >"$tmp/out" || fail "apply --older: exit status $?"
	[ "$(cat "$tmp/out")" = "plan     $program" ] || fail "it says: $(cat "$tmp/out")"
	"$headstart" show "$plan" >"$tmp/out" || fail "the plan is not made anew"
	refuses 2 "give 'check', 'check FILE', 'apply' or 'apply --older'" "$headstart" config check --older
}

# time: nothing is begun after the limit; an hour is plenty for this file.
case_time_limits_prefetching() {
	set_conf '[budget]\ntime = 3600\n'
	[ "$(asked)" = 524288 ] || fail "time"
}

# deny: no plan is made, and an existing one is not used.
case_denied_program_has_no_plan() {
	set_conf '[programs]\ndeny = cat\n'
	[ -z "$(asked)" ] || fail "run: a program that is denied was prefetched"
	make_cold
	"$prefetch" --json --fd 3 3<"$plan" >"$tmp/out" || fail "prefetcher"
	[ ! -s "$tmp/out" ] || fail "the prefetcher carried out a plan of a program that is denied: $(cat "$tmp/out")"
	refuses 1 "$conf:2 denies it" "$headstart" plan "$tmp/profile"
	[ ! -e "$plan" ] || fail "the plan of a program that is denied is left"
	"$headstart" plan -o "$tmp/elsewhere" "$tmp/profile" >/dev/null || fail "plan -o of a program that is denied"
	set_conf '[programs]\nallow = /opt/*\n'
	refuses 1 "allow only other programs" "$headstart" plan "$tmp/profile"
	set_conf '[programs]\nallow = /opt/*\nallow = /usr/bin/c*\nallow = /bin/c*\n'
	"$headstart" plan "$tmp/profile" >/dev/null || fail "plan of a program that is allowed"
	set_conf '[programs]\ndeny = %s\n' && printf '[programs]\ndeny = %s\n' "$program" >"$conf"
	"$headstart" config apply | grep -q "^no plan  $program: $conf:2 denies it" || fail "apply does not deny"
	[ ! -e "$plan" ] || fail "apply left the plan"
	rm "$conf"
	"$headstart" config apply >/dev/null || fail "apply again"
	[ -e "$plan" ] || fail "apply did not bring the plan back"
}

# 'headstart plan FILE' stores no profile.
case_denied_program_without_a_profile_has_no_plan() {
	mv "${plan%.plan}.profile" "$tmp/kept"
	"$headstart" config apply >"$tmp/out" || fail "apply"
	[ -e "$plan" ] || fail "apply removes what is allowed"
	set_conf '[programs]\ndeny = cat\n'
	"$headstart" config apply >"$tmp/out" || fail "apply"
	[ "$(cat "$tmp/out")" = "no plan  $program: $conf:2 denies it" ] || fail "it says: $(cat "$tmp/out")"
	[ ! -e "$plan" ] || fail "apply left the plan"
	rm "$conf"
	mv "$tmp/kept" "${plan%.plan}.profile"
	"$headstart" config apply >"$tmp/out" || fail "apply"
}

# devices: by the folder in which a file lies.
case_device_is_what_the_settings_say() {
	order() { "$headstart" plan -o "$tmp/elsewhere" --json "$1" | json - 'TOP["order"]'; }
	folder=$(realpath "$place")
	printf 'program %s\nfile regular %s\nrange 0 128 0 1\n' "$folder/data" "$folder/data" | "$make_profile" "$tmp/profile-2"
	printf '[devices]\n%s = rotational\n' "$folder" >"$conf"
	[ "$(order "$tmp/profile-2")" = physical ] || fail "devices: the folder is not taken for rotational"
	printf '[devices]\n%s = rotational\n%s = solid\n' "$folder" "$folder/data" >"$conf"
	[ "$(order "$tmp/profile-2")" = touch ] || fail "devices: the longest folder does not count"
}

# A mistake in a settings file keeps no program from starting, and is reported in one sentence.
starts_with() {
	[ "$("$headstart" run -- sh -c 'echo started' 2>&1)" = started ] || fail "$1: run: $("$headstart" run -- sh -c 'echo started' 2>&1)"
	"$headstart" run --verbose -- true 2>"$tmp/err" || fail "$1: run --verbose"
	[ "$(grep -c "$2" "$tmp/err")" = 1 ] || fail "$1: run --verbose says: $(cat "$tmp/err")"
	"$headstart" plan -o "$tmp/elsewhere" "$tmp/profile" >/dev/null 2>"$tmp/err" || fail "$1: plan"
	[ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "$2" "$tmp/err" || fail "$1: plan says: $(cat "$tmp/err")"
	"$prefetch" "$tmp/elsewhere" >/dev/null 2>&1 || fail "$1: prefetcher"
}

case_wrong_settings_fail_no_start() {
	set_conf 'nonsense\nmore nonsense\n'
	starts_with "nonsense" "headstart.conf:1: 'nonsense' is not"
	head -c 100000 /dev/urandom >"$conf"
	starts_with "noise" "headstart.conf:[0-9]*: "
	set_conf '[programs]\ndeny = cat\n'
	chmod o+w "$conf"
	starts_with "written by others" "others could have written it"
	rm "$conf"
	mkdir "$conf"
	starts_with "a folder" "not a regular file"
	rmdir "$conf"
	mkfifo "$conf"
	starts_with "a FIFO" "not a regular file"
	opens_not "$conf" "$headstart" config check
	rm "$conf"
	truncate -s 1G "$conf"
	starts_with "too large" "too large"
	rm "$conf"
	ln -s "$conf" "$conf"
	starts_with "a link to itself" "Too many levels"
	rm "$conf"
}

# Everything else takes such a file for empty.
case_mistake_in_the_variable_is_told() {
	for wrong in "$tmp/none:HEADSTART_CONFIG names it, but it is not there" "none:HEADSTART_CONFIG is ignored, because it is not an absolute path"; do
		HEADSTART_CONFIG=${wrong%%:*}
		! "$headstart" config check 2>"$tmp/err" || fail "'$HEADSTART_CONFIG' is good"
		grep -qF "${wrong%%:*}: ${wrong#*:}" "$tmp/err" || fail "'$HEADSTART_CONFIG': $(cat "$tmp/err")"
	done
}

# A user's own file counts for that user alone.
case_settings_of_a_user_are_for_that_user_alone() {
	unset HEADSTART_CONFIG
	if [ "$(id -u)" = 0 ] && [ ! -e /etc/headstart/headstart.conf ]; then
		mkdir -p "$tmp/home/.config/headstart"
		printf '[programs]\ndeny = cat\n' >"$tmp/home/.config/headstart/headstart.conf"
		chmod 755 "$tmp"
		chown -R 65534 "$tmp/home"
		HOME=$tmp/home "$headstart" config check | grep -qx 'there are no settings' || fail "root takes a user's settings"
		for_others "$headstart" "$headstart-tool"
		as_user="$as_nobody env HOME=$tmp/home"
		$as_user "$others/headstart" config check 2>"$tmp/err" | grep -q 'no errors' ||
			fail "a user's own settings are not read: $(cat "$tmp/err")"
		$as_user "$others/headstart" run --verbose -- cat /dev/null 2>&1 | grep -q 'the settings deny it' || fail "a user's deny has no effect"
	else
		untried "a user's own settings: not root, or this machine has settings"
	fi
}

run_cases
