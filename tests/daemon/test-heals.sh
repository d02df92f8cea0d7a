#!/bin/sh
# SPDX-License-Identifier: MIT
# A start that headstartd's prefetcher finds stale leads to a new plan, and nothing is heard of the planner.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
[ "$(stat -c %u "$tool")" = 0 ] || skip "root executes no planner that somebody else can change"
make_disk
make_waiter "$disk"
mkdir "$HEADSTART_STATE"
printf 'program %s\nfile regular %s\nrange 0 4 0 1\nfile regular %s\nrange 0 900 4 1\n' "$disk/waiter" "$disk/waiter" "$disk/data" |
	"$make_profile" "$tmp/profile"
"$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
plan=$(echo "$HEADSTART_STATE"/waiter-*.plan)
cp "$tmp/profile" "${plan%.plan}.profile"
was=$(cksum <"$plan")

heals() {
	"$page" out "$disk/waiter" "$disk/data" || fail "pages stay in the page cache"
	rm -f "$tmp/go"
	"$disk/waiter" &
	waiter=$!
	for try in $(seq 200); do
		[ "$(cksum <"$plan")" = "$was" ] || break
		sleep 0.05
	done
	: >"$tmp/go"
	wait "$waiter" || fail "the waiter fails"
	[ "$(cksum <"$plan")" != "$was" ] || fail "the plan is the old one: $(ls "$HEADSTART_STATE"; cat /run/headstart/daemon "$tmp/daemon-log")"
}
case_stale_plan_heals() {
	echo more >>"$disk/data"
	sync "$disk/data"
	start_daemon --no-learn --quiet
	until_undisturbed heals
	for try in $(seq 200); do # the mark goes after the plan has come
		[ -e "$plan.stale" ] || break
		sleep 0.05
	done
	[ ! -e "$plan.stale" ] || fail "the mark stays"
	[ ! -s "$tmp/daemon-log" ] || fail "the planner is heard: $(cat "$tmp/daemon-log")"
}

run_cases
