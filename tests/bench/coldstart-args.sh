#!/bin/sh
# bench/coldstart, bench/demo and bench/chart refuse what they cannot do, in words, before they touch a device.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
coldstart=$HEADSTART_TEST_SOURCE/bench/coldstart
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
export PYTHONDONTWRITEBYTECODE=1

# argparse puts a line of usage before the sentence.
wrong() {
	words=$1
	shift
	status=0
	"$coldstart" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = 2 ] || fail "'coldstart $*' exited $status, not 2"
	grep -qF -- "$words" "$tmp/err" || fail "'coldstart $*' did not say '$words': $(cat "$tmp/err")"
	! grep -q Traceback "$tmp/err" || fail "'coldstart $*' crashed"
}

case_wrong_arguments_are_refused() {
	wrong "--device" -- true
	wrong "invalid choice: 'tape'" --device tape -- true
	wrong "either --app NAME or a command" --device hdd
	wrong "either --app NAME or a command" --device hdd --app firefox -- true
	wrong "unknown arm 'fast': use nothing, whole" --device hdd --arms run,fast -- true
	wrong "'0' is not a positive number" --device hdd --runs 0 -- true
	wrong "'-1' is not a positive number" --device hdd --timeout -1 -- true
	wrong "--output 'out.png' is not absolute" --device hdd --output out.png -- true
	wrong "ends neither in .svg nor in .png" --device hdd --chart chart.gif -- true
}

case_help_names_every_option_and_arm() {
	"$coldstart" --help >"$tmp/help" || fail "--help failed"
	for word in nothing whole files run audit warm warm-run warm-audit --device --arms --runs --seed --json --chart \
		--timeout --image --output --app --build run-other run-merged relaid relaid-audit relaid-run relaid-warm rewritten shell-run preload \
		cold-shell-run cold-shell-preload system cold-shell-system warm-preload --relayout-args; do
		grep -q -- "$word" "$tmp/help" || fail "--help says nothing of $word"
	done
	[ "$(awk '{ if (length > most) most = length } END { print most }' "$tmp/help")" -le 105 ] || fail "--help is too wide"
}

case_demo_and_chart_refuse_wrong_arguments() {
	refuses 2 "unknown argument '--fast'" "$HEADSTART_TEST_SOURCE/bench/demo" --fast
	refuses 2 "--json needs a value" "$HEADSTART_TEST_SOURCE/bench/demo" --json
	"$HEADSTART_TEST_SOURCE/bench/demo" --help | grep -q -- --json || fail "demo --help"
	/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
	refuses 1 "/nonexistent.json" "$HEADSTART_TEST_SOURCE/bench/chart" /nonexistent.json -o "$tmp/chart.svg"
}

run_cases
