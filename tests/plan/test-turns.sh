#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands that change what is stored take turns. One that was stopped has its turn for ever: the others say so, and end after a minute.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE=$tmp/state
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
real=$(realpath "$tmp")
mkdir "$tmp/state"
head -c 65536 /dev/urandom >"$real/program"
printf 'program %s\nfile regular %s\nrange 0 16 0 1\n' "$real/program" "$real/program" | "$make_profile" "$tmp/profile"
"$tool" plan --device solid "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
plan=$(echo "$tmp/state"/program-*.plan)
cp "$tmp/profile" "${plan%.plan}.profile"

at_case_exit() { rm -f "$tmp/locked"; }

case_next_one_begins_when_the_turn_ends() {
	hold_lock "$tmp/state/.lock"
	"$tool" plan --program "$real/program" >"$tmp/out" 2>"$tmp/err" &
	command=$!
	until grep -q "waiting for another process that changes what is stored" "$tmp/err"; do
		kill -0 "$command" || fail "it does not wait: $(cat "$tmp/out" "$tmp/err")"
		sleep 0.05
	done
	rm "$tmp/locked"
	wait "$command" || fail "it fails: $(cat "$tmp/err")"
	wait "$holder"
}

case_turn_that_does_not_end_is_not_waited_for() {
	hold_lock "$tmp/state/.lock"
	cksum "$tmp/state"/program-* >"$tmp/before"
	"$tool" plan --program "$real/program" 2>"$tmp/plan-err" >"$tmp/out" &
	plan=$!
	"$tool" config apply 2>"$tmp/config-err" >"$tmp/out" &
	config=$!
	"$tool" forget --learnt 2>"$tmp/learnt-err" &
	learnt=$!
	"$tool" forget "$real/program" 2>"$tmp/forget-err" &
	forget=$!
	for command in plan config learnt forget; do
		eval "pid=\$$command"
		wait "$pid" && fail "$command succeeds"
		grep -qx "headstart: process $holder has been changing what is stored for a minute; end it, or try again later" "$tmp/$command-err" ||
			fail "$command says: $(cat "$tmp/$command-err")"
	done
	cksum "$tmp/state"/program-* | cmp - "$tmp/before" || fail "something has changed"
}

run_cases
