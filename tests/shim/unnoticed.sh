#!/bin/sh
# Whatever the shim does or meets, a program sees the same process, output and exit status as without the shim.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

try() {
	what=$1
	shift
	until_undisturbed tried "$@"
}
tried() {
	rm -f "$log"
	make_cold
	expect_same "$@"
	if [ -n "$logged" ]; then
		grep -q "$logged" "$log" || fail "$what: the log has no '$logged'"
	else
		[ ! -e "$log" ] || fail "$what: it did something: $(cat "$log")"
	fi
}

mkfifo "$tmp/end"

case_nothing_is_noticed_without_a_plan() {
	logged=
	try "no plan, plan mode" HEADSTART=plan
	logged=whole=started
	try "no plan" HEADSTART=auto
	try "whole mode" HEADSTART=whole
}

case_nothing_is_noticed_with_a_plan() {
	make_plan
	logged=whole=started
	try "whole mode beside a plan" HEADSTART=whole
	logged=plan=started
	try "a plan, plan mode" HEADSTART=plan
	try "a plan" HEADSTART=auto
	try "an unknown mode" HEADSTART=rubbish
}

# The prefetcher is missing, is no program, or dies.
case_failing_prefetcher_is_not_noticed() {
	logged=plan=started
	try "prefetcher missing" HEADSTART_PREFETCH=/nonexistent
	try "prefetcher is a folder" HEADSTART_PREFETCH=/
	printf '#!/bin/sh\nkill -SEGV $$\n' >"$tmp/crash"
	chmod +x "$tmp/crash"
	try "prefetcher crashes" HEADSTART_PREFETCH="$tmp/crash"
}

case_log_that_cannot_be_written_is_not_noticed() {
	logged=
	try "log cannot be written" HEADSTART_LOG=/nonexistent/log
}

case_warm_start_is_seen() {
	what="warm start"
	seen_warm() {
		expect_same HEADSTART=auto
		grep -q plan=warm "$log" || fail "a warm start is not seen: $(cat "$log")"
	}
	when_warm seen_warm
}

# Closed standard streams: the shim's descriptors must neither take their place for good nor reach the prefetcher.
case_closed_streams_stay_closed() {
	closed() {
		rm -f "$log"
		make_cold
		shimmed "$look" >&- 2>&- <&- || true
		grep -q plan=started "$log" || fail "no prefetch with closed streams"
	}
	until_undisturbed closed
}

# A pipe must end with the program, not with the prefetcher. The prefetcher here ends when it is told to.
case_pipe_ends_with_the_program() {
	printf '#!/bin/sh\nread line <%s\n' "$tmp/end" >"$tmp/waits"
	chmod +x "$tmp/waits"
	ends() {
		rm -f "$log"
		make_cold
		seen=$(shimmed HEADSTART_PREFETCH="$tmp/waits" "$look" | wc -l)
		grep -q plan=started "$log" || fail "nothing was started"
		echo >"$tmp/end"
		[ "$seen" -gt 10 ] || fail "output went missing"
	}
	until_undisturbed ends
}

# User namespaces: a thread or a shared address space of ours would make them fail.
case_user_namespaces_work() {
	unshare=$(command -v unshare)
	nsenter=$(command -v nsenter)
	"$unshare" -Ur true 2>/dev/null || skip "no user namespace can be made here"
	for library in $libraries; do
		until_undisturbed unshares "$library"
	done
	until_undisturbed enters
}
unshares() { # LIBRARY
	make_cold
	"$built/plan-for" "$state" "$(readlink -f "$unshare")" "$1" >"$tmp/out"
	rm -f "$log"
	shimmed "$unshare" -Ur true || fail "unshare -Ur fails under the shim"
	grep -q plan=started "$log" || fail "unshare: nothing was started"
}
enters() {
	make_cold
	"$built/plan-for" "$state" "$(readlink -f "$nsenter")" $libraries >"$tmp/out"
	rm -f "$log" "$tmp/pid"
	"$unshare" -Ur sh -c 'echo $$ >"$1"; exec cat "$2"' sh "$tmp/pid" "$tmp/end" >"$tmp/out" &
	inside=$!
	while [ ! -s "$tmp/pid" ]; do kill -0 "$inside"; done
	result=0
	shimmed "$nsenter" -U --preserve-credentials -t "$(cat "$tmp/pid")" true || result=$?
	echo >"$tmp/end"
	wait "$inside"
	[ "$result" = 0 ] || fail "nsenter -U fails under the shim"
	grep -q plan=started "$log" || fail "nsenter: nothing was started"
}

# Ten starts at once.
case_ten_starts_at_once_are_alike() {
	(shimmed HEADSTART=off "$look" "$place/libthree.so" >"$tmp/expected.many" 2>&1 </dev/null || true) &
	wait
	make_cold
	for i in 0 1 2 3 4 5 6 7 8 9; do
		(shimmed "$look" "$place/libthree.so" >"$tmp/seen.$i" 2>&1 </dev/null || echo $? >"$tmp/status.$i") &
	done
	wait
	for i in 0 1 2 3 4 5 6 7 8 9; do
		[ "$(cat "$tmp/status.$i")" = 7 ] || fail "ten at once: number $i exited with $(cat "$tmp/status.$i")"
		sed "s,$tmp/seen.$i$,$tmp/expected.many," "$tmp/seen.$i" | diff "$tmp/expected.many" - || fail "ten at once: number $i differs"
	done
}

run_cases
