#!/bin/sh
# Whoever may read a plan may lock it, and also the prefetcher's own file. Nobody must wait for such a lock.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
plan=$(ORDER=physical "$built/plan-for" "$state" "$look" $libraries)
cp "$prefetch" "$place/headstart-prefetch"
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/own/slow"
mkfifo "$tmp/own/begun" "$tmp/own/go" "$tmp/holds"
cat >"$tmp/hold" <<'PYTHON'
# hold KIND FILE: takes locks as another user, says so, and keeps them until it is killed.
import fcntl, os, signal, sys, time
descriptor = os.open(sys.argv[2], os.O_RDONLY)
if sys.argv[1] in ("flock", "both", "carrier"):
    fcntl.flock(descriptor, fcntl.LOCK_EX)
if sys.argv[1] in ("record", "both"):
    fcntl.lockf(descriptor, fcntl.LOCK_SH, 0, 1)
if sys.argv[1] == "carrier":
    fcntl.lockf(descriptor, fcntl.LOCK_SH, 1, (1 << 32) + int(time.monotonic() * 1000))
    fcntl.lockf(descriptor, fcntl.LOCK_SH, 20000, (1 << 32) + int(time.monotonic() * 1000))
print("held", flush=True)
signal.pause()
PYTHON
holder= starter=
at_case_exit() {
	for process in $holder $starter; do
		kill "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
}
hold() { # KIND FILE
	$as_attacker /usr/bin/python3 "$tmp/hold" "$@" >"$tmp/holds" &
	holder=$!
	read line <"$tmp/holds" || fail "the locks are not held"
}
let_go() {
	kill "$holder" || fail "$what: the holder did not stay"
	wait "$holder" 2>/dev/null || true
	holder=
}

# While the start runs, looks for a process that has a pidfd of the stranger's. The program may wait for its own prefetcher.
waits() { grep -qsx "Pid:[[:space:]]*$holder" /proc/[0-9]*/fdinfo/*; }
start_and_watch() { # COMMAND…
	rm -f "$log" "$ran"/*
	make_cold
	waited=
	in_front=${as-} shimmed HEADSTART_PREFETCH="$own" "$@" >"$tmp/seen" 2>"$tmp/err" &
	starter=$!
	while kill -0 $starter 2>/dev/null; do
		! waits || { waited=1; return 0; }
	done
	wait $starter && status=0 || status=$?
	starter=
}

case_watching_sees_who_waits() {
	rm -f "$log" "$ran"/*
	make_cold
	shimmed HEADSTART_PREFETCH="$tmp/own/slow" "$look" "$place/libthree.so" >"$tmp/seen" 2>"$tmp/err" &
	starter=$!
	read holder <"$tmp/own/begun"
	for attempt in $(seq 3000); do
		! waits || break
		sleep 0.01
	done
	waits || fail "nobody waits for a prefetcher of the user's own"
	holder=
	echo >"$tmp/own/go"
	wait $starter || true
	starter=
}

case_locks_on_the_plan_hold_nobody_up() {
	for kind in flock record both carrier; do
		for as in "" "$as_victim"; do
			for way in "" "$launch execv" "$launch posix_spawn"; do
				what="$kind, $as, $way"
				hold $kind "$plan"
				start_and_watch $way "$look" "$place/libthree.so"
				[ -z "$waited" ] || fail "$what: the program waits for a stranger"
				ends_with 7
				let_go
			done
		done
	done
}

case_locks_on_the_prefetcher_hold_nobody_up() {
	for kind in flock both; do
		for mode in plan whole; do
			what="$kind, $mode"
			hold $kind "$place/headstart-prefetch"
			loaded=LD_AUDIT=$audit
			forced HEADSTART=$mode HEADSTART_PREFETCH="$place/headstart-prefetch" "$look" "$place/libthree.so"
			ends_with 7
			let_go
		done
	done
}

run_cases
