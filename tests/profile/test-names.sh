#!/bin/sh
# A program's name in place of the file of its profile: which file is taken, by each verb that takes one.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE="$tmp/state"
cd "$tmp"
mkdir -m 755 state bin elsewhere
echo 'int main(void) { return 0; }' >program.c
cc -g -o bin/program-of-ours program.c -Wl,--build-id
ln -s program-of-ours bin/another-name
cp bin/program-of-ours bin/not-recorded
PATH=$tmp/bin:$PATH
real=$(realpath bin/program-of-ours)
"$make_profile" profile <<END
program $real
file regular $real
range 0 3 0 1
END
"$headstart" plan profile >out
plan=$(echo "$tmp"/state/program-of-ours-*.plan)
stored=${plan%.plan}.profile
cp profile "$stored"
chmod 644 "$stored"
cd elsewhere

case_every_verb_takes_the_stored_profile() {
	for name in program-of-ours another-name; do
		"$headstart" show --json $name >json
		[ "$(json json 'TOP["program"]')" = "$real" ] || fail "show: $(cat json)"
		"$headstart" merge -o merged $name "$tmp/profile"
		"$headstart" show --json merged >json
		[ "$(json json 'TOP["runs"]')" = 2 ] || fail "merge: $(cat json)"
		"$headstart" order --for lld $name | grep -qx main || fail "order does not know main"
		"$headstart" order --for lld --narrow $name "$tmp/profile" | grep -qx main || fail "order --narrow does not know main"
		"$headstart" relayout --dry-run --profile $name >out || fail "relayout: $(cat out)"
		"$headstart" plan -o plan $name >out
		grep -q "^program  $real" out || fail "plan: $(cat out)"
	done
}

case_file_of_that_name_comes_first() {
	printf 'program /nowhere/other\nfile regular /nowhere/other\nrange 0 1 0 1\n' | "$make_profile" program-of-ours
	"$headstart" show --json program-of-ours >json
	rm program-of-ours
	[ "$(json json 'TOP["program"]')" = /nowhere/other ] || fail "the stored profile is shown: $(cat json)"
}

case_path_is_never_looked_up() {
	refuses 1 "cannot read './program-of-ours': No such file" "$headstart" show ./program-of-ours
}

case_plan_is_shown_where_there_is_no_profile() {
	mv "$stored" "$tmp/away"
	"$headstart" show program-of-ours >out || fail "the plan is not shown"
	grep -q order out || fail "this is no plan: $(cat out)"
	refuses 1 "and '$real' was not recorded: 'sudo headstart record -- program-of-ours' records a start" "$headstart" merge -o merged program-of-ours
	mv "$tmp/away" "$stored"
}

case_state_folder_is_an_absolute_path() {
	for verb in list status "forget program-of-ours" "show program-of-ours"; do
		HEADSTART_STATE=state refuses 1 "HEADSTART_STATE='state' is not an absolute path" "$headstart" $verb
	done
}

case_names_of_nothing_are_one_sentence() {
	for verb in show "merge -o out" "order --for lld" "relayout --dry-run --profile" plan; do
		refuses 1 "there is no file 'not-recorded', and '$(dirname "$real")/not-recorded' was not recorded" "$headstart" $verb not-recorded
		refuses 1 "cannot read 'no-such-name': it is neither a file nor a program in PATH" "$headstart" $verb no-such-name
	done
	refuses 1 "cannot read ''" "$headstart" show ""
}

run_cases
