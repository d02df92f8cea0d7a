#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd meets what no desktop does to it every day: a clock that is turned back, a crowd of starts, a container that goes away.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
# While another test records, starts that are cold teach nothing.
share_turn

case_clock_is_turned_back_and_ahead() {
	rm -rf "$HEADSTART_STATE"
	! grep -q __asan_init "$daemon" || skip "a sanitized daemon lets nothing be loaded before it"
	cc -shared -fPIC -DCLOCK="\"$tmp/clock\"" -o "$tmp/clock.so" "$HEADSTART_TEST_SOURCE/tests/daemon/clock.c"
	confined="$confined env LD_PRELOAD=$tmp/clock.so"
	echo 0 >"$tmp/clock"
	start_daemon
	waiter_is_noted
	echo -315360000 >"$tmp/clock" # ten years
	start_cold
	wait "$waiter" || fail "the program fails"
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	start_daemon
	until_note known -ge 1
	store_is_good
	"$tool" why "$disk/waiter" | grep -q '^starts   [1-9]' || fail "the start is forgotten: $("$tool" why "$disk/waiter")"
	# Far ahead, everything is old; but only once the clock has gone on like this for a while.
	stop_daemon
	echo 315360000 >"$tmp/clock"
	start_daemon
	begin_to_see
	until_all_is_seen
	stop_daemon
	grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" || fail "it is forgotten at once"
	start_daemon
	until_a_note
	echo 315367200 7200 >"$tmp/clock.later" # the daemon must not find an empty file
	mv "$tmp/clock.later" "$tmp/clock"
	for try in $(seq 600); do
		grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" || break
		sleep 0.05
	done
	[ "$try" != 600 ] || fail "it is never forgotten: $(cat /run/headstart/daemon)"
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
}

# More starts than the daemon follows. All of them are there at the same time.
case_five_hundred_starts_at_once() {
	rm -rf "$HEADSTART_STATE"
	mkdir "$disk/many"
	printf '#include <unistd.h>\nint main(void) { pause(); }\n' >"$tmp/many.c"
	cc -O1 -static -o "$disk/many/0" "$tmp/many.c"
	chmod 755 "$tmp" "$disk/many"
	for i in $(seq 500); do ln "$disk/many/0" "$disk/many/$i"; done
	start_daemon
	until_note execs -ge 0
	before=$(note execs)
	many=
	for i in $(seq 500); do
		"$disk/many/$i" 7>&- &
		many="$many $!"
	done
	until_note execs -ge $((before + 500))
	until_a_note && until_a_note # others have executed something, too
	[ "$(note lost)" = 0 ] || fail "events were lost: $(cat /run/headstart/daemon)"
	children=$(wc -w <"/proc/$daemon_pid/task/$daemon_pid/children")
	[ "$children" -le 67 ] || fail "$children children"
	used=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$daemon_pid/status")
	[ "$used" -lt 24000 ] || fail "it uses $used kB"
	kill $many
	for pid in $many; do wait "$pid" || :; done
	waiter_is_noted
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
	rm -r "$disk/many"
}

# Its processes are killed, and its disk is unmounted, while the daemon may look at them. Nothing of ours holds the disk.
case_container_goes_away() {
	rm -rf "$HEADSTART_STATE"
	mkdir "$tmp/inside"
	truncate -s 32M "$tmp/image-inside"
	mkfs.ext4 -q -F "$tmp/image-inside"
	mount -o loop "$tmp/image-inside" "$tmp/inside"
	cp "$disk/waiter" "$tmp/inside/waiter"
	umount "$tmp/inside"
	start_daemon
	for round in 1 2 3; do
		before=$(note execs)
		rm -f "$tmp/go"
		unshare --mount --pid --fork --kill-child sh -c "mount -o loop '$tmp/image-inside' '$tmp/inside' && '$tmp/inside/waiter'" 7>&- &
		container=$!
		until_note execs -ge $((before + 4)) # unshare, sh, mount, waiter
		kill -KILL "$container"
		wait "$container" || :
	done
	for try in $(seq 600); do
		losetup -a | grep -q "$tmp/image-inside" || break
		sleep 0.05
	done
	[ "$try" != 600 ] || fail "the disk of the container is held: $(losetup -a)"
	waiter_is_noted
}

# The program is noted, so its start in the container is traced, as long as it lasts; the container goes away meanwhile.
case_traced_container_goes_away() {
	rm -rf "$HEADSTART_STATE"
	start_daemon
	waiter_is_noted
	for try in $(seq 20); do
		: >"$tmp/go.stay"
		start_cold unshare --pid --fork --kill-child
		for look in $(seq 40); do
			[ "$(note tracing)" = 0 ] || break
			sleep 0.05
		done
		kill -KILL "$waiter" 2>/dev/null || :
		wait "$waiter" || :
		rm "$tmp/go.stay"
		[ "$look" = 40 ] || break
	done
	[ "$look" != 40 ] || fail "no start is traced: $(cat /run/headstart/daemon)"
	until_note tracing -eq 0
	store_is_good
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
}

run_cases
