#!/bin/sh
# until_undisturbed repeats what failed while something disturbed it, at most ten times, and nothing else.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
really_disturbed=$disturbed

tries=$tmp/tries
succeeds_in() { # succeeds_in TRY…, by set -e
	echo >>"$tries"
	[ "$(wc -l <"$tries")" = "$1" ]
	true
}

# try DISTURBED COMMAND…: leaves the command's status in $result; DISTURBED says whether each try is disturbed, yes or no.
try() {
	rm -f "$tries"
	disturbed=$tmp/disturbed
	printf '#!/bin/sh\n[ "$1" = now ] || { [ %s = yes ] && echo "the caches were emptied"; }\n' "$1" >"$disturbed"
	chmod +x "$disturbed"
	shift
	set +e
	(
		set -e
		until_undisturbed "$@"
	) >"$tmp/out" 2>"$tmp/err"
	result=$?
	set -e
}

# The counters: emptied caches, reclaimed pages, µs of waiting, stolen ticks, ticks, the queue in percent, µs.
disturbs() { # BEFORE AFTER TEXT
	"$really_disturbed" since "$1" "$2" >"$tmp/out" || fail "it does not disturb"
	[ "$(cat "$tmp/out")" = "$3" ] || fail "it says: $(cat "$tmp/out")"
}
disturbs_nothing() { # BEFORE AFTER
	status=0
	"$really_disturbed" since "$1" "$2" >"$tmp/out" || status=$?
	[ "$status" = 1 ] && [ ! -s "$tmp/out" ] || fail "exit status $status: $(cat "$tmp/out")"
}

case_a_little_waiting_disturbs_nothing() {
	disturbs_nothing "1 2 3 4 100 500 1000000" "1 2 4 4 200 500 2000000"
	disturbs_nothing "1 2 3 4 100 0 1000000" "1 2 40003 4 200 0 2000000"
}

case_much_waiting_disturbs() {
	disturbs "1 2 3 4 100 0 1000000" "1 2 100003 4 200 0 2000000" "programs waited for a processor 10 % of the time"
	disturbs "1 2 3 4 100 0 1000000" "1 2 30003 7 200 0 2000000" "programs waited for a processor 6 % of the time"
}

case_an_emptied_cache_and_reclaimed_memory_disturb() {
	disturbs "1 2 3 4 100 0 1000000" "2 3 3 4 200 0 2000000" "the caches were emptied, memory was reclaimed"
}

# The number is what the program prints where the kernel does not report pressure.
case_without_pressure_the_queue_counts() {
	unknown=18446744073709551615
	disturbs_nothing "1 2 $unknown 4 100 0 1000000" "1 2 $unknown 4 200 5 2000000"
	disturbs "1 2 $unknown 4 100 0 1000000" "1 2 $unknown 4 200 50 2000000" "programs waited for a processor 50 % of the time"
}

case_the_machine_is_counted() {
	"$really_disturbed" now >"$tmp/out"
	[ "$(wc -w <"$tmp/out")" = 7 ] || fail "it prints: $(cat "$tmp/out")"
	[ "$(cut -d ' ' -f 5 "$tmp/out")" -gt 0 ] || fail "no time goes by: $(cat "$tmp/out")"
}

case_what_a_test_mounts_over_the_counters_hides_nothing() {
	needs_mounts
	[ -e /proc/pressure/cpu ] || skip "this kernel reports no pressure"
	echo "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" >"$tmp/pressure"
	# shellcheck disable=SC2016 # it is the inner shell's
	unshare --mount --propagation private sh -ec '
		mount --bind "$1" /proc/pressure/cpu
		"$2" now' - "$tmp/pressure" "$really_disturbed" >"$tmp/out"
	[ "$(cut -d ' ' -f 3 "$tmp/out")" -gt 0 ] || fail "it reads what the test has mounted: $(cat "$tmp/out")"
}

case_success_is_not_repeated() {
	try no succeeds_in 1
	[ "$result" = 0 ] || fail "a success is none: $(cat "$tmp/err")"
	try no succeeds_in 2
	[ "$result" = 1 ] && [ "$(wc -l <"$tries")" = 1 ] || fail "a failure that nothing disturbed is repeated: $(cat "$tmp/out")"
}

case_disturbed_failure_is_repeated() {
	try yes succeeds_in 3
	[ "$result" = 0 ] && [ "$(wc -l <"$tries")" = 3 ] || fail "what was disturbed is not repeated: $(cat "$tmp/out" "$tmp/err")"
	grep -q "^try 2 of 'succeeds_in 3' failed, disturbed (the caches were emptied)" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
}

case_ten_tries_are_all() {
	try yes succeeds_in 11
	[ "$result" = 1 ] && [ "$(wc -l <"$tries")" = 10 ] || fail "not ten tries: $(wc -l <"$tries")"
}

# for_others makes copies that belong to root and that everybody can execute.
case_others_can_execute_their_copies() {
	[ "$(id -u)" = 0 ] || skip "not root"
	have setpriv || return 0
	chmod 700 "$tmp"
	for_others "$headstart" "$headstart-tool"
	$as_nobody "$others/headstart" --version >"$tmp/out" || fail "others cannot run it"
}

run_cases
