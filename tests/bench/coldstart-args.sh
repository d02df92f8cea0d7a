#!/bin/sh
# bench/coldstart, asked, learned, session, place-shared, order, order-build, demo and chart refuse what they cannot do in one sentence, before they touch a device.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
coldstart=$HEADSTART_TEST_SOURCE/bench/coldstart
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
export PYTHONDONTWRITEBYTECODE=1

# argparse puts a line of usage before the sentence.
wrong_of() {
	program=$1 words=$2
	shift 2
	status=0
	"$program" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = 2 ] || fail "'$program $*' exited $status, not 2"
	grep -qF -- "$words" "$tmp/err" || fail "'$program $*' did not say '$words': $(cat "$tmp/err")"
	! grep -q Traceback "$tmp/err" || fail "'$program $*' crashed"
}

wrong() {
	wrong_of "$coldstart" "$@"
}

case_wrong_arguments_are_refused() {
	wrong "--device" -- true
	wrong "invalid choice: 'tape'" --device tape -- true
	wrong "--aged cannot be measured with 'relaid'" --device hdd --aged --arms placed,relaid -- true
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
		--timeout --image --output --app --build sweep-run run-other run-merged ptrace-run pagemap-run relaid relaid-audit relaid-run relaid-warm rewritten placed placed-run relaid-placed relaid-placed-run shell-run preload \
		cold-shell-run cold-shell-preload system cold-shell-system warm-preload --relayout-args; do
		grep -q -- "$word" "$tmp/help" || fail "--help says nothing of $word"
	done
	[ "$(awk '{ if (length > most) most = length } END { print most }' "$tmp/help")" -le 105 ] || fail "--help is too wide"
}

case_order_refuses_wrong_arguments() {
	order=$HEADSTART_TEST_SOURCE/bench/order
	wrong_of "$order" "AS_LINKED" --device hdd
	wrong_of "$order" "NAME=EXECUTABLE" --device hdd /bin/sh
	wrong_of "$order" "'/bin/sh' is not NAME=EXECUTABLE" --device hdd /bin/sh /bin/sh
	wrong_of "$order" "'run=/bin/sh' is not NAME=EXECUTABLE" --device hdd /bin/sh run=/bin/sh
	wrong_of "$order" "two links have one name" --device hdd /bin/sh other=/bin/sh other=/bin/sh
	wrong_of "$order" "there is no file '/nonexistent'" --device hdd /bin/sh other=/nonexistent -- -c true
	"$order" --help >"$tmp/help" || fail "order --help failed"
	[ "$(awk '{ if (length > most) most = length } END { print most }' "$tmp/help")" -le 105 ] || fail "--help is too wide"
}

case_restore_has_a_device_and_files() {
	wrong_of "$HEADSTART_TEST_SOURCE/bench/restore" "invalid choice: 'tape'" --device tape
	wrong_of "$HEADSTART_TEST_SOURCE/bench/restore" "'none' is not a positive number" --device none --files none
}

case_squashfs_has_a_device_and_a_program() {
	squashfs=$HEADSTART_TEST_SOURCE/bench/squashfs
	wrong_of "$squashfs" "invalid choice: 'tape'" --device tape
	wrong_of "$squashfs" "either --app NAME or a command" --device hdd --app firefox -- true
	wrong_of "$squashfs" "--small needs a command" --device hdd --small
	wrong_of "$squashfs" "invalid choice: 'zip'" --device hdd --comp zip
}

case_asked_chooses_its_starts() {
	asked=$HEADSTART_TEST_SOURCE/bench/asked
	wrong_of "$asked" "unknown program 'perl': use python3, git" --device hdd --only git,perl
	wrong_of "$asked" "invalid choice: 'tape'" --device tape
	"$asked" --device none --list >"$tmp/starts" || fail "asked --list"
	for words in "^python3  *recorded .*science.py" "^git  *never .*grep" "^soffice  *never  */usr/bin/localc"; do
		grep -q "$words" "$tmp/starts" || fail "no start is '$words': $(cat "$tmp/starts")"
	done
	"$asked" --device none --list --recorded >"$tmp/chosen"
	[ -s "$tmp/chosen" ] && ! grep -v ' recorded ' "$tmp/chosen" || fail "--recorded: $(cat "$tmp/chosen")"
	"$asked" --device none --list --only git --only bash,node >"$tmp/chosen"
	grep -E '^(git|bash|node) ' "$tmp/starts" | diff - "$tmp/chosen" || fail "other starts were chosen"
}

case_learned_chooses_its_programs() {
	learned=$HEADSTART_TEST_SOURCE/bench/learned
	wrong_of "$learned" "unknown program 'perl': use libreoffice" --device hdd --only git,perl
	wrong_of "$learned" "invalid choice: 'tape'" --device tape
}

case_session_wants_a_device_and_minutes() {
	session=$HEADSTART_TEST_SOURCE/bench/session
	wrong_of "$session" "required: --device"
	wrong_of "$session" "'0' is not a positive number" --device nvme --minutes 0
}

case_place_shared_wants_programs_that_share() {
	place_shared=$HEADSTART_TEST_SOURCE/bench/place-shared
	wrong_of "$place_shared" "required: --device"
	wrong_of "$place_shared" "unknown program 'perl': use libreoffice, firefox, python" --device hdd --only firefox,perl
	wrong_of "$place_shared" "'firefox' shares no area with itself: name two or more" --device hdd --only firefox,firefox
	"$place_shared" --help >"$tmp/help" || fail "place-shared --help failed"
	[ "$(awk '{ if (length > most) most = length } END { print most }' "$tmp/help")" -le 105 ] || fail "--help is too wide"
}

case_boot_time_wants_a_device() {
	boot_time=$HEADSTART_TEST_SOURCE/bench/boot-time
	wrong_of "$boot_time" "required: --device"
	wrong_of "$boot_time" "invalid choice: 'tape'" --device tape
	wrong_of "$boot_time" "'0' is not a positive number" --device lazy --runs 0
}

case_order_build_refuses_wrong_arguments() {
	order_build=$HEADSTART_TEST_SOURCE/bench/order-build
	refuses 2 "give one folder" "$order_build"
	refuses 2 "unknown option '--fast'" "$order_build" --fast
	"$order_build" --help | grep -q -- --build || fail "order-build --help"
}

case_demo_and_chart_refuse_wrong_arguments() {
	refuses 2 "unknown argument '--fast'" "$HEADSTART_TEST_SOURCE/bench/demo" --fast
	refuses 2 "--json needs a value" "$HEADSTART_TEST_SOURCE/bench/demo" --json
	"$HEADSTART_TEST_SOURCE/bench/demo" --help | grep -q -- --json || fail "demo --help"
	/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
	refuses 1 "/nonexistent.json" "$HEADSTART_TEST_SOURCE/bench/chart" /nonexistent.json -o "$tmp/chart.svg"
}

run_cases
