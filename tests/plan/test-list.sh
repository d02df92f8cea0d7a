#!/bin/sh
# headstart list and headstart forget: what is recorded is shown, and what is forgotten goes with its plans.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE="$tmp/state" HEADSTART_HOSTS="$tmp/hosts.d" HEADSTART_CONFIG="$tmp/headstart.conf"
export ASAN_OPTIONS=detect_leaks=0 # not under strace
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
real=$(realpath "$tmp")
cd "$real"
mkdir hosts.d state
printf '[host]\noperand = file\n-c = text\n' >hosts.d/test.conf
for name in host a.py b.py data; do
	dd if=/dev/urandom of="$name" bs=4096 count=16 status=none
done
chmod +x host

recorded() { # NAME ARGUMENT…
	name=$1
	{
		printf 'program %s\nfolder %s\n' "$real/$name" "$real"
		for argument; do echo "argument $argument"; done
		printf 'file regular %s\nrange 0 4 0 1\nfile regular %s\nrange 0 12 4 1\n' "$real/$name" "$real/data"
	} >"$tmp/description"
	if [ -e "$tmp/$name.profile" ]; then set -- --add; else set --; fi
	"$make_profile" "$@" "$tmp/$name.profile" <"$tmp/description"
}
store() { # NAME: puts the profile where 'headstart record' does, with its plans
	"$headstart" plan --device solid "$tmp/$1.profile" >out || fail "$(cat out)"
	cp "$tmp/$1.profile" "$(ls state/"$1"-*.plan | grep -v @ | sed 's/plan$/profile/')"
}
recorded host a.py
recorded host -c 'print("two words")'
recorded host
cp host viewer
cp host narrow
recorded viewer one.odt

store host
store viewer

case_list_shows_what_was_asked_for() {
	"$headstart" list >out || fail "list ended with $?"
	grep -q "^$real/host$" out || fail "$(cat out)"
	grep -Eq "^  [0-9]{4}-[0-9]{2}-[0-9]{2} +65\.5 kB +100 % .*  a\.py$" out || fail "$(cat out)"
	grep -qF "'print(\"two words\")'" out || fail "$(cat out)"
	grep -q "(no arguments)$" out || fail "$(cat out)"
	grep -q "one.odt$" out || fail "$(cat out)"
	[ "$(grep -c '^  20' out)" = 4 ] || fail "$(cat out)"
}

case_long_arguments_are_cut_at_their_end() {
	COLUMNS=65 LC_ALL=C.UTF-8 "$headstart" list "$real/host" >out || fail "list ended with $?"
	grep -qF '  -c '\''print("two w…' out || fail "$(cat out)"
	! grep -q 'words' out || fail "$(cat out)"
	recorded narrow "$(printf 'a%.0s' $(seq 200))"
	store narrow
	"$headstart" list "$real/narrow" >out || fail "list ended with $?"
	grep -q 'a\{200\}$' out || fail "what is no terminal has no width: $(cat out)"
	"$headstart" forget "$real/narrow" 2>err || fail "$(cat err)"
}

case_show_prints_rule_and_key() {
	"$headstart" show state/host-*.profile >out || fail "show ended with $?"
	key=$(grep -o '^  key  *@[0-9a-f]*, by the rule: .*operand=file' out | head -n 1 | grep -o '@[0-9a-f]*') || fail "$(cat out)"
	[ -e "$(echo state/host-*"$key.plan")" ] || fail "no plan has the key '$key': $(ls state)"
	"$headstart" show state/host-*"$key.plan" >out
	grep -q "^  for  *starts with the key $key alone$" out || fail "$(cat out)"
	"$headstart" show "$(ls state/host-*.plan | grep -v @)" >out
	grep -q "^  for  *starts without a plan of their own; keys by the rule: .*operand=file" out || fail "$(cat out)"
	"$headstart" show --json state/host-*.profile >json
	json json - "$key" <<'EOF' || fail "$(cat json)"
assert ARGS[0] in ["@" + r["key"] for r in TOP["recordings"]]
assert len(TOP["recordings"]) == 3 and all(r["rule"] for r in TOP["recordings"])
EOF
}

case_list_of_one_program() {
	PATH=$real:$PATH "$headstart" list host >out || fail "list ended with $?"
	[ "$(grep -c '^  20' out)" = 3 ] || fail "$(cat out)"
	"$headstart" list "$real/nothing" >out
	grep -qx "nothing is recorded of '$real/nothing': 'sudo headstart record -- COMMAND' records a start" out || fail "$(cat out)"
	HEADSTART_STATE=$tmp/empty "$headstart" list >out
	! grep -q "nothing is recorded of" out || fail "$(cat out)"
	refuses 1 "'no-such-program' is not in PATH: give its whole path" "$headstart" list no-such-program
	refuses 2 "unexpected argument 'b'" "$headstart" list a b
}

case_user_is_told_what_root_alone_can_read() {
	[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || {
		untried "a file that only root can read needs root and setpriv"
		return
	}
	for_others "$HEADSTART_TEST_BUILD/tools/headstart-tool" "$tmp/host.profile"
	chmod 600 "$others/host.profile"
	list_as_nobody() { HEADSTART_STATE=$others setpriv --reuid 65534 --regid 65534 --clear-groups "$others/headstart-tool" list "$@" >out; }
	list_as_nobody || fail "list ended with $?"
	grep -qx "only root can read what was recorded of 1 program: sudo headstart list" out || fail "$(cat out)"
	cp "$tmp/viewer.profile" "$others"
	list_as_nobody || fail "list ended with $?"
	grep -qx "1 more program: only root can read what was recorded" out || fail "$(cat out)"
	! grep -q "nothing is recorded" out || fail "$(cat out)"
	list_as_nobody --json 2>err || fail "list --json ended with $?"
	[ "$(json out 'len(TOP)')" = 1 ] || fail "$(cat out)"
	grep -qx "headstart: 1 program is left out: only root can read what was recorded of it" err || fail "not told: $(cat err)"
}

case_hosts_that_cannot_be_read_are_named() {
	mkdir "$tmp/no-hosts"
	cp "$HEADSTART_HOSTS/test.conf" "$tmp/no-hosts/zz.conf"
	chmod 666 "$tmp/no-hosts/zz.conf"
	HEADSTART_HOSTS=$tmp/no-hosts "$headstart" list "$real/host" >out 2>err || fail "list ended with $?"
	grep -q "^headstart: '$tmp/no-hosts/zz.conf' is ignored: " err || fail "$(cat err)"
}

case_list_as_json() {
	"$headstart" list --json host >out 2>/dev/null || "$headstart" list --json "$real/host" >out
	json out - "$real" <<-'END' || fail "$(cat out)"
		assert [entry["arguments"] for entry in TOP] == [["a.py"], ["-c", 'print("two words")'], []], TOP
		assert all(entry["program"] == ARGS[0] + "/host" and entry["folder"] == ARGS[0] for entry in TOP), TOP
		assert all(entry["bytes"] == entry["bytes_as_they_were"] == 65536 for entry in TOP), TOP
		assert all("@" in entry["plan"] for entry in TOP), TOP
	END
}

case_list_shows_what_has_changed() {
	cp data kept
	echo more >>data
	"$headstart" list "$real/host" >out
	[ "$(grep -c ' 25 % ' out)" = 3 ] || fail "$(cat out)"
	mv kept data
}

case_list_that_nobody_can_read_is_an_error() {
	refuses 1 "cannot write to standard output: No space left on device" sh -c '"$1" list >/dev/full' sh "$headstart"
	refuses 1 "cannot write to standard output: No space left on device" sh -c '"$1" list --json >/dev/full' sh "$headstart"
}

case_damaged_profile_is_named() {
	echo nonsense >state/bad.profile
	"$headstart" list >out 2>err || fail "list ended with $?"
	grep -qF "bad.profile' is not a headstart profile" err || fail "$(cat err)"
	rm state/bad.profile
	mkdir state/bad.profile
	"$headstart" list >out 2>err || fail "list ended with $?"
	grep -q "^headstart: cannot read '.*bad.profile': Is a directory$" err || fail "$(cat err)"
	rmdir state/bad.profile
}

# As one that is forgotten while others are listed.
case_profile_that_is_gone_is_passed_over() {
	ln -s "$tmp/nowhere" state/gone.profile
	"$headstart" list >out 2>err || fail "list ended with $?"
	[ ! -s err ] || fail "$(cat err)"
	rm state/gone.profile
}

case_one_start_is_forgotten() {
	"$headstart" forget "$real/host" ./a.py 2>err || fail "$(cat err)"
	grep -qF "forgot 1 recording of '$real/host'" err || fail "$(cat err)"
	"$headstart" list "$real/host" >out
	[ "$(grep -c '^  20' out)" = 2 ] && ! grep -q a.py out || fail "$(cat out)"
	[ "$(ls state | grep -c '^host-.*@.*plan$')" = 2 ] || fail "$(ls state)"
	refuses 1 "was not recorded with these arguments" "$headstart" forget "$real/host" ./a.py
}

case_start_without_arguments_is_forgotten() {
	"$headstart" forget --start "$real/host" 2>err || fail "$(cat err)"
	"$headstart" list "$real/host" >out
	[ "$(grep -c '^  20' out)" = 1 ] && grep -q "print" out || fail "$(cat out)"
}

traced() { strace -qq -f -o /dev/null "$@"; }
record_again() {
	rm -f "$tmp/again.profile"
	cp host again
	recorded again a.py
	recorded again b.py
	store again
}

# Otherwise plans without a recording would be carried out for ever, because there is nothing to forget any more.
case_forgetting_that_is_killed_can_be_repeated() {
	can_trace || skip "no strace, or it cannot trace here"
	for call in unlink unlinkat; do
		n=0
		while n=$((n + 1)); do
			record_again
			status=0
			(traced -e trace=$call -e inject=$call:signal=SIGKILL:when=$n "$tool" forget "$real/again" >/dev/null 2>&1) 2>/dev/null || status=$?
			[ "$status" != 0 ] || break
			[ "$status" = 137 ] || fail "killed at $call $n: status $status"
			[ -z "$(ls state | grep '^again-')" ] || "$tool" forget "$real/again" 2>err || fail "killed at $call $n: $(cat err; ls state)"
			[ -z "$(ls state | grep '^again-')" ] || fail "killed at $call $n: $(ls state)"
		done
		[ "$n" -gt 1 ] || fail "$call was not called"
	done
}

# As when the plans are made anew at the same time.
case_plan_that_another_process_removes_is_no_error() {
	can_trace || skip "no strace, or it cannot trace here"
	record_again
	traced -e trace=unlinkat -e inject=unlinkat:error=ENOENT "$tool" forget "$real/again" 2>err || fail "$(cat err)"
	rm -f state/again-*
}

# The profile lies elsewhere: 'headstart plan FILE' has made the plan.
case_plan_without_a_recording_is_forgotten() {
	cp host lone
	recorded lone
	"$headstart" plan "$tmp/lone.profile" >out || fail "$(cat out)"
	refuses 1 "nothing is recorded of '$real/lone'" "$headstart" forget --start "$real/lone"
	"$headstart" forget "$real/lone" 2>err || fail "$(cat err)"
	! ls state/lone-* 2>/dev/null || fail "something is left"
	refuses 1 "nothing is recorded of '$real/lone'" "$headstart" forget "$real/lone"
}

# Each reads all recordings, and writes those that are left.
case_recordings_forgotten_at_once_are_all_gone() {
	cp host many
	for number in 1 2 3 4 5 6 7 8; do
		cp data "$number.py"
		recorded many "$number.py"
	done
	store many
	for number in 1 2 3 4 5 6 7 8; do
		"$headstart" forget "$real/many" "$number.py" 2>"err-$number" &
	done
	wait
	! ls state/many-* 2>/dev/null || fail "something is left: $("$headstart" list "$real/many"; cat err-*)"
	[ "$(cat err-* | grep -c "forgot 1 recording of '$real/many'")" = 8 ] || fail "$(cat err-*)"
}

case_program_is_forgotten() {
	for plan in state/host-*.plan; do
		: >"$plan.stale"
	done
	"$headstart" forget "$real/host" 2>err || fail "$(cat err)"
	! ls state/host-* 2>/dev/null || fail "something is left"
	refuses 1 "nothing is recorded of '$real/host'" "$headstart" forget "$real/host"
	rm viewer
	"$headstart" forget "$real/viewer" 2>err || fail "of a program that is gone: $(cat err)"
	[ -z "$(ls state)" ] || fail "$(ls state)"
	refuses 1 "'viewer' is not in PATH: give its whole path" "$headstart" forget viewer
}

run_cases
