#!/bin/sh
# A file that blocks whoever opens, reads or writes it takes the place of a plan, of a file that the plan names, or of the log.
# Nobody must wait for it: timeout(1) ends a start that hangs, with status 124.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
may_be_root
cp "$prefetch" "$place/headstart-prefetch"
plan=$(echo "$state"/target-*.plan)
plan_of_root
system_plan=$system_state/${plan##*/}
probed=$place/probed
mkfifo "$tmp/holds"
holder=
at_case_exit() {
	for process in $holder; do
		kill "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
}

target_ran() { ends_with 7; }
unplanned() { on_every_way target_ran_unplanned "$launch" posix_spawn "$target"; }

# Root's plans here name a file of the attacker's first.
plan_names_probed() {
	rm -f "$probed"
	cp "$place/libtwo.so" "$probed"
	chown $attacker "$probed"
	"$built/plan-for" "$state" "$target" "$probed" $libraries >"$tmp/out"
	"$built/plan-for" "$system_state" "$target" "$probed" $libraries >"$tmp/out"
}

case_fifo_in_place_of_the_plan() {
	for at in "$plan" "$system_plan"; do
		rm -f "$at"
		mkfifo "$at"
	done
	unplanned
	for at in "$plan" "$system_plan"; do
		rm "$at"
		mkdir "$at"
	done
	unplanned
	rmdir "$plan" "$system_plan"
}

case_fifo_in_place_of_a_planned_file() {
	plan_names_probed
	rm "$probed"
	mkfifo "$probed"
	on_every_way target_ran "$launch" posix_spawn "$target"
	forced HEADSTART_PREFETCH="$place/headstart-prefetch" "$launch" posix_spawn "$target"
	ends_with 7
	loaded=LD_AUDIT=$audit
	"$built/plan-for" "$state" "$look" $libraries >"$tmp/out"
	forced HEADSTART_PREFETCH="$place/headstart-prefetch" "$look" "$place/libthree.so"
	ends_with 7
}

case_fifo_in_place_of_the_log() {
	plan_names_probed
	fifo=$tmp/logs/fifo
	mkfifo "$fifo"
	chmod 666 "$fifo"
	on_every_way target_ran /usr/bin/env HEADSTART_LOG="$fifo" "$launch" posix_spawn "$target"
	forced HEADSTART_PREFETCH="$place/headstart-prefetch" HEADSTART_LOG="$fifo" "$launch" posix_spawn "$target"
	ends_with 7
}

# The FIFO has a reader that never reads, and is full.
case_full_fifo_in_place_of_the_log() {
	plan_names_probed
	fifo=$tmp/logs/full
	mkfifo "$fifo"
	chmod 666 "$fifo"
	exec 8<>"$fifo"
	dd if=/dev/zero of="$fifo" bs=4096 oflag=nonblock status=none 2>/dev/null || true
	forced HEADSTART_LOG="$fifo" "$launch" posix_spawn "$target"
	ends_with 7
	forced HEADSTART_PREFETCH="$place/headstart-prefetch" HEADSTART_LOG="$fifo" "$launch" posix_spawn "$target"
	ends_with 7
	exec 8<&-
}

# Whoever opens a file with a write lease waits until its holder gives it up, or for 45 seconds. Neither must happen here: the
# lease is still held when the start is over. There is none while somebody else has the file open, as a prefetcher with a ring for a moment
# after it has ended.
lease() { # FILE
	cat >"$tmp/lease" <<'PYTHON'
import fcntl, os, signal, sys, time
descriptor = os.open(sys.argv[1], os.O_RDWR)
signal.signal(signal.SIGIO, signal.SIG_IGN)
for attempt in range(600):
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        print("held", flush=True)
        break
    except BlockingIOError:
        time.sleep(0.05)
else:
    sys.exit("somebody else has the file open")
while True:
    signal.pause()
PYTHON
	$as_attacker /usr/bin/python3 "$tmp/lease" "$1" >"$tmp/holds" &
	holder=$!
	read line <"$tmp/holds" || skip "no lease can be had on '$1'"
}
lease_is_held() { # FILE
	grep -q "LEASE .*:$(stat -c %i "$1") " /proc/locks || fail "$what: somebody waited until the lease was broken"
	kill "$holder"
	wait "$holder" 2>/dev/null || true
	holder=
}

case_lease_on_a_planned_file() {
	for prefetcher in "$own" "$place/headstart-prefetch"; do
		for way in "" "$as_victim"; do
			what="lease, $prefetcher, $way"
			plan_names_probed
			make_cold() { "$page" out $libraries; }
			lease "$probed"
			as=$way
			forced HEADSTART_PREFETCH="$prefetcher" "$launch" posix_spawn "$target"
			ends_with 7
			lease_is_held "$probed"
		done
	done
}

case_lease_on_a_plan() {
	what="a lease on a plan of the attacker's own"
	plan_names_probed
	chown $attacker "$plan"
	lease "$plan"
	rm -f "$log"
	make_cold
	for way in "" "$as_victim"; do
		in_front="timeout 100 $way" shimmed "$launch" posix_spawn "$target" >"$tmp/seen" 2>"$tmp/err" && status=0 || status=$?
		ends_with 7
	done
	lease_is_held "$plan"
	rm -f "$plan"
}

run_cases
