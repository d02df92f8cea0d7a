#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd goes on while processes of users wait for servers that never answer.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
mkdir -p "$HEADSTART_STATE"

# A plan of the waiter that brings in its data.
make_plan() {
	"$make_profile" "$tmp/profile" <<-END
		program $disk/waiter
		file regular $disk/data
		range 0 900 0 1
	END
	"$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
}

# Its plan is carried out.
becomes_warm() {
	served=$(note started)
	start_cold
	for try in $(seq 600); do
		[ "$(note started)" -le "$served" ] || break
		sleep 0.05
	done
	wait "$waiter" || fail "the program fails"
	[ "$try" != 600 ] || fail "the plan is not carried out: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}

# Starts a program of that user, which executes another one. That waits for a server of the user's, and so does whoever reads most of what
# /proc says of the process.
hang_in_execve() { # USER
	/usr/bin/setpriv --reuid "$1" --clear-groups -- /usr/bin/python3 -c 'if True:
		import os, sys
		fd = os.open(sys.argv[1], os.O_RDONLY)
		os.set_inheritable(fd, True)
		os.execv("/usr/bin/python3", ["python3", "-c", """if True:
			import os, sys
			os.set_inheritable(int(sys.argv[1]), False)
			open(sys.argv[2], "w").close()
			os.execv("/bin/true", ["true"])""", str(fd), sys.argv[2]])' "$tmp/hanging" "$tmp/told/$1" 7>&- &
	for try in $(seq 600); do
		[ ! -e "$tmp/told/$1" ] || grep -q '^State:.D' "/proc/$!/status" && break
		sleep 0.05
	done
	hang="$hang $!"
	[ "$try" != 600 ] || fail "the process does not wait: $(cat "/proc/$!/status")"
}

others_are_served() {
	until_undisturbed becomes_warm
	for pid in $hang; do [ -e "/proc/$pid" ] || fail "nothing hung meanwhile"; done
}

case_execve_that_hangs_delays_nobody() {
	make_plan
	hang=
	: >"$tmp/hanging"
	mkdir -m 1777 "$tmp/told"
	mount_hanging "$tmp/hanging"
	start_daemon
	hang_in_execve 4242
	others_are_served
	# For this user's next process the daemon does not wait at all, for that of another one a little.
	kill -STOP "$daemon_pid"
	rm "$tmp/told/4242"
	hang_in_execve 4242
	hang_in_execve 4243
	kill -CONT "$daemon_pid"
	others_are_served
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status"
	for user in 4242 4243; do
		[ "$(grep -c "of its user '$user'" "$tmp/daemon-log")" = 1 ] || fail "it does not wait once for user $user: $(cat "$tmp/daemon-log")"
	done
}

run_cases
