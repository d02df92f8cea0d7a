#!/bin/sh
# bench/micro-spawn measures, reports, passes an arm's environment and arguments on, and says what failed.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
micro_spawn=$HEADSTART_TEST_BUILD/bench/micro-spawn

# Each arm leaves a trace of every run. There are more runs than the table counts, because of the warm-up.
case_arms_take_turns_with_their_environment() {
	"$micro_spawn" --runs 20 --json "$tmp/result.json" --arm 'nothing:' --arm "env:COLOUR=red /usr/bin/env" \
		-- /bin/sh -c 'echo "${COLOUR-none}"' >"$tmp/out"
	[ "$(grep -cx red "$tmp/out")" = "$(grep -cx none "$tmp/out")" ] || fail "arms did not take turns"
	[ "$(grep -cx red "$tmp/out")" -gt 20 ] || fail "an arm's environment did not reach the command"

	grep -q '^nothing  *20 ' "$tmp/out" && grep -q '^env  *20 .*+' "$tmp/out" || fail "table: $(cat "$tmp/out")"
	json "$tmp/result.json" - <<'END' || fail "JSON: $(cat "$tmp/result.json")"
nothing, env = TOP["arms"]["nothing"], TOP["arms"]["env"]
assert TOP["command"][0] == "/bin/sh" and TOP["cpu"] is None
assert nothing["n"] == env["n"] == 20
assert 0 < nothing["least_us"] <= nothing["ci95_us"][0] <= nothing["median_us"] <= nothing["ci95_us"][1]
assert abs(env["median_us"] - nothing["median_us"] - env["more_us"]) < 1e-6
assert "more_us" not in nothing
END
}

# Only the arm sets the variables that control headstart.
case_environment_of_the_caller_is_not_passed_on() {
	HEADSTART=whole HEADSTART_LOG=$tmp/log "$micro_spawn" -n 1 --cpu 0 -a nothing: \
		-- /bin/sh -c '[ -z "${HEADSTART-}${HEADSTART_LOG-}" ]' >/dev/null || fail "the environment was passed on"
}

case_failures_are_one_sentence() {
	refuses 1 "arm 'nothing' failed with status 7" "$micro_spawn" -a nothing: -- /bin/sh -c 'exit 7'
	refuses 1 "arm 'nothing' failed with status 137" "$micro_spawn" -a nothing: -- /bin/sh -c 'kill -9 $$'
	refuses 1 "cannot run '/nonexistent'" "$micro_spawn" -a nothing: -- /nonexistent
	refuses 2 "'0' is not a number of runs" "$micro_spawn" --runs 0
	refuses 2 "'x' is not the number of a CPU" "$micro_spawn" --cpu x
	refuses 2 "'fast' is not an arm" "$micro_spawn" --arm fast
	refuses 1 "cannot write '/nonexistent/r.json'" "$micro_spawn" -n 1 -a nothing: -j /nonexistent/r.json
}

run_cases
