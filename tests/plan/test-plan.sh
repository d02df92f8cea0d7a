#!/bin/sh
# headstart plan: options, the store, exec points, bad inputs. It uses files of its own, wherever these lie.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
dump=$HEADSTART_TEST_BUILD/tests/plan/dump-plan
export HEADSTART_STATE="$tmp/state"
real=$(realpath "$tmp")

mkdir "$tmp/bin"
for name in app helper lib data; do
	dd if=/dev/urandom of="$tmp/bin/$name" bs=4096 count=64 status=none
done
chmod +x "$tmp/bin/app" "$tmp/bin/helper"
"$make_profile" "$tmp/app.profile" <<-EOF_PROFILE
	program $real/bin/app
	file directory $real/bin
	file regular $real/bin/app
	range 0 4 1 2
	file regular $real/bin/lib
	range 30 2 5 2
	range 0 2 7 1
	file regular $real/bin/helper
	range 0 3 9 2
	file regular $real/bin/data
	range 8 8 12 2
	exec $real/bin/helper 9
EOF_PROFILE

plan() {
	"$headstart" plan --device solid "$@" >"$tmp/out" || fail "'headstart plan $*' failed"
}
extents() {
	"$dump" "$1" | sed -n "s,^extent $real/bin/,,p"
}
expect() {
	[ "$1" = "$2" ] || fail "$3: got '$1', not '$2'"
}

# the whole profile, into a file
case_whole_profile_is_planned_in_touch_order() {
	plan -o "$tmp/whole.plan" "$tmp/app.profile"
	grep -q '^extents *5$' "$tmp/out" || fail "the summary: $(cat "$tmp/out")"
	expect "$(extents "$tmp/whole.plan" | tr '\n' ';')" "app 0 4 0;lib 30 2 0;lib 0 2 0;helper 0 3 0;data 8 8 0;" "touch order"
	[ ! -e "$tmp/state" ] || fail "-o touched the store"
}

# options
case_options_limit_the_plan() {
	plan -o "$tmp/often.plan" --min-runs 2 "$tmp/app.profile"
	expect "$(extents "$tmp/often.plan" | tr '\n' ';')" "app 0 4 0;lib 30 2 0;helper 0 3 0;data 8 8 0;" "--min-runs"
	plan -o "$tmp/small.plan" --budget 20K "$tmp/app.profile"
	expect "$(extents "$tmp/small.plan" | tr '\n' ';')" "app 0 4 0;lib 30 1 0;" "--budget"
	plan -o "$tmp/later.plan" --at helper "$tmp/app.profile"
	expect "$(extents "$tmp/later.plan" | tr '\n' ';')" "helper 0 3 0;data 8 8 0;" "--at"
}

# What packages call after an upgrade.
case_plans_of_changed_files_are_marked() {
	cp -r "$tmp/bin" "$tmp/upgraded"
	sed "s,$real/bin,$real/upgraded,g" <<-EOF_PROFILE | "$make_profile" "$tmp/upgraded.profile"
		program $real/bin/app
		file regular $real/bin/app
		range 0 4 1 1
		file regular $real/bin/lib
		range 0 2 7 1
	EOF_PROFILE
	plan "$tmp/upgraded.profile"
	ln -s "$(ls "$tmp/state")" "$tmp/state/other-0123456789abcdef.plan"
	"$headstart" plan --mark-stale >"$tmp/out" || fail "exit status $?"
	[ ! -s "$tmp/out" ] || fail "a plan is stale though nothing has changed: $(cat "$tmp/out")"
	echo >>"$tmp/upgraded/lib"
	for time in first second; do
		"$headstart" plan --mark-stale >"$tmp/out" || fail "$time: exit status $?"
		[ "$(grep -c '^stale    .*/state/app-[0-9a-f]*\.plan$' "$tmp/out")" = "$(wc -l <"$tmp/out")" ] || fail "$time: $(cat "$tmp/out")"
		[ "$(ls "$tmp"/state/*.stale)" = "$(sed 's/^stale *//; s/$/.stale/' "$tmp/out")" ] || fail "$time: $(ls "$tmp/state")"
	done
	plan "$tmp/upgraded.profile"
	"$headstart" plan --mark-stale >"$tmp/out"
	[ ! -s "$tmp/out" ] || fail "the new plan is stale: $(cat "$tmp/out")"
	poke "$(ls "$tmp"/state/app-*.plan)" 8 '\001'
	"$headstart" plan --mark-stale >"$tmp/out" || fail "a plan of an older version: exit status $?"
	[ "$(ls "$tmp"/state/app-*.stale)" = "$(sed 's/^stale *//; s/$/.stale/' "$tmp/out")" ] || fail "a plan of an older version: $(ls "$tmp/state")"
	refuses 2 "takes no arguments and no other options" "$headstart" plan --mark-stale "$tmp/upgraded.profile"
	refuses 2 "takes no arguments and no other options" "$headstart" plan --mark-stale --json
	HEADSTART_STATE=$tmp/none "$headstart" plan --mark-stale || fail "no plans: exit status $?"
	rm -r "$tmp/state"
}

case_summary_as_json() {
	plan --json -o "$tmp/json.plan" "$tmp/app.profile"
	json "$tmp/out" - "$real" <<-'EOF_PYTHON' || fail "--json: $(cat "$tmp/out")"
		assert TOP["program"] == ARGS[0] + "/bin/app", TOP
		assert (TOP["files"], TOP["extents"], TOP["bytes"], TOP["gap_bytes"]) == (5, 5, 19 * 4096, 0), TOP
		assert (TOP["stale"], TOP["gone"], TOP["in_memory"]) == (0, 0, 0), TOP
		assert (TOP["device"], TOP["order"]) == ("solid", "touch"), TOP
	EOF_PYTHON
}

# The store: the program is found as the shell finds it.
case_store_is_found_by_the_program() {
	mkdir -p "$tmp/state"
	name=$(plan "$tmp/app.profile" && sed -n 's/^plan *//p' "$tmp/out")
	[ -s "$name" ] || fail "no plan in the store: $(cat "$tmp/out")"
	rm "$name"
	cp "$tmp/app.profile" "$tmp/state/$(basename "$name" .plan).profile"
	PATH="$tmp/bin:$PATH" plan --program app
	[ -s "$name" ] || fail "--program did not write '$name'"
	plan --at helper --program "$tmp/bin/app"
	grep -q "^program *$real/bin/helper\$" "$tmp/out" || fail "--at is for another program: $(cat "$tmp/out")"
}

# A changed file drops out alone.
case_changed_file_drops_out_alone() {
	echo more >>"$tmp/bin/lib"
	rm "$tmp/bin/data"
	plan -o "$tmp/stale.plan" "$tmp/app.profile"
	expect "$(extents "$tmp/stale.plan" | tr '\n' ';')" "app 0 4 0;helper 0 3 0;" "staleness"
	grep -q 'left out: 1 changed, 1 missing' "$tmp/out" || fail "what was left out: $(cat "$tmp/out")"
}

# Bad inputs: one sentence, and nothing is written.
case_bad_input_is_one_sentence() {
	refuses 1 "cannot read '$tmp/none'" "$headstart" plan "$tmp/none"
	refuses 1 "cannot read '$tmp/bin'" "$headstart" plan "$tmp/bin"
	echo rubbish >"$tmp/rubbish"
	refuses 1 "'$tmp/rubbish' is not a headstart profile" "$headstart" plan "$tmp/rubbish"
	head -c 100 "$tmp/app.profile" >"$tmp/short"
	refuses 1 "'$tmp/short'" "$headstart" plan "$tmp/short"
	refuses 1 "'$tmp/whole.plan' is not a headstart profile" "$headstart" plan "$tmp/whole.plan"
	refuses 1 "does not execute 'nobody'" "$headstart" plan --at nobody "$tmp/app.profile"
	refuses 1 "is not a regular file" "$headstart" plan --device solid -o /dev/null "$tmp/app.profile"
	refuses 1 "cannot write" "$headstart" plan --device solid -o "$tmp/none/x.plan" "$tmp/app.profile"
	refuses 1 "cannot make the folder of plans" \
		env HEADSTART_STATE="$tmp/rubbish/state" "$headstart" plan --device solid "$tmp/app.profile"
	refuses 1 "was not recorded: 'sudo headstart record -- sh' records a start" "$headstart" plan --program sh
	refuses 1 "'headstart-no-such-program' is not in PATH: give its whole path" "$headstart" plan --program headstart-no-such-program
	refuses 2 "give PROFILE or --program PROGRAM" "$headstart" plan
	refuses 2 "unexpected argument 'b': give one profile" "$headstart" plan a b
	refuses 2 "either PROFILE or --program" "$headstart" plan --program sh a
	for size in 0 -1 1T K 1.5M 99999999999G; do
		refuses 2 "'$size' is not a size" "$headstart" plan --budget "$size" a
	done
	refuses 1 "no page was touched by 9 runs: the profile of '$real/bin/app' has 2" "$headstart" plan --min-runs 9 "$tmp/app.profile"
	refuses 1 "cannot enter the folder '$tmp/none'" "$headstart" plan --root "$tmp/none" "$tmp/app.profile"
	refuses 2 "'0' is not a number of runs" "$headstart" plan --min-runs 0 a
	refuses 2 "unknown class of device 'floppy'" "$headstart" plan --device floppy a
	refuses 2 "unknown option '--frob'" "$headstart" plan --frob a
	refuses 2 "needs a value" "$headstart" plan a --budget
}

case_nothing_left_to_plan_is_refused() {
	rm "$tmp/bin/app" "$tmp/bin/lib" "$tmp/bin/helper"
	refuses 1 "there is nothing to read ahead for '$real/bin/app' here; files left out: 4 gone" \
		"$headstart" plan -o "$tmp/nothing.plan" "$tmp/app.profile"
	[ ! -e "$tmp/nothing.plan" ] || fail "a plan of nothing was written"
}

run_cases
