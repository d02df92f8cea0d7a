#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever processes of one user do, headstartd goes on for others.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
mkdir -p "$HEADSTART_STATE"
echo "allow = */true" >>"$tmp/only-ours.conf" # what waits in execve executes it

# A plan that brings in the data.
make_plan() { # PROGRAM
	printf 'program %s\nfile regular %s\nrange 0 900 0 1\n' "$1" "$disk/data" | "$make_profile" "$tmp/profile"
	"$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
}

# Its plan is carried out, at the third start at the latest: the daemon may just wait for a second for a process that hangs.
becomes_warm() {
	for start in 1 2 3; do
		served=$(note started)
		start_cold
		for try in $(seq 200); do
			[ "$(note started)" -le "$served" ] || break
			sleep 0.05
		done
		wait "$waiter" || fail "the program fails"
		[ "$(note started)" -le "$served" ] || return 0
	done
	fail "no plan is carried out: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}

# Starts a program of that user, which executes another one. That waits for a server of the user's, and so does whoever reads most of what
# /proc says of the process.
hang_in_execve() { # USER [COMMAND that starts its arguments…]
	user_who_hangs=$1
	shift
	"$@" /usr/bin/setpriv --reuid "$user_who_hangs" --clear-groups -- /usr/bin/python3 -c 'if True:
		import os, sys
		fd = os.open(sys.argv[1], os.O_RDONLY)
		os.set_inheritable(fd, True)
		os.execv("/usr/bin/python3", ["python3", "-c", """if True:
			import os, sys
			os.set_inheritable(int(sys.argv[1]), False)
			open(sys.argv[2], "w").close()
			os.execv("/bin/true", ["true"])""", str(fd), sys.argv[2]])' "$tmp/hanging" "$tmp/told/$user_who_hangs" 7>&- &
	for try in $(seq 600); do
		! [ -e "$tmp/told/$user_who_hangs" ] || ! grep -q '^State:.[DS]' "/proc/$!/status" || break
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
	make_plan "$disk/waiter"
	hang=
	: >"$tmp/hanging"
	mkdir -m 1777 "$tmp/told"
	mount_hanging "$tmp/hanging"
	start_daemon
	first=$(date +%s)
	hang_in_execve 4242
	others_are_served
	# For this user's next process the daemon does not wait at all, for that of another one a little.
	kill -STOP "$daemon_pid"
	rm "$tmp/told/4242"
	hang_in_execve 4242
	hang_in_execve 4243
	soon=$(($(date +%s) - first < 50)) # it leaves that user alone for a minute
	kill -CONT "$daemon_pid"
	others_are_served
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status"
	# After that minute it waits for the first user once more.
	! [ "$soon:$(grep -c "of its user '4242'" "$tmp/daemon-log")" = 0:2 ] || sed -i "0,/of its user '4242'/{/of its user '4242'/d}" "$tmp/daemon-log"
	for user in 4242 4243; do
		[ "$(grep -c "of its user '$user'" "$tmp/daemon-log")" = 1 ] || fail "it does not wait once for user $user: $(cat "$tmp/daemon-log")"
	done
}

# A container's root has the number of ours.
case_container_of_root_that_hangs_does_not_delay_root() {
	make_plan "$disk/waiter"
	hang=
	rm -rf "$tmp/told" "$tmp/hanging"
	: >"$tmp/hanging"
	mkdir -m 1777 "$tmp/told"
	mount_hanging "$tmp/hanging"
	start_daemon
	hang_in_execve 0 unshare --mount --propagation private
	others_are_served
	stop_daemon
	! grep "of its user" "$tmp/daemon-log" || fail "it holds the container against our root"
}

# Each execve lasts for less than a second, so the daemon gets an answer.
case_execve_that_always_takes_long_delays_nobody_for_ever() {
	make_plan "$disk/waiter"
	rm -f "$tmp/hanging"
	: >"$tmp/hanging"
	mount_hanging "$tmp/hanging" 0 0.5
	start_daemon
	cc -o "$tmp/again" -x c - <<-'END'
		#include <fcntl.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			open(argv[1], O_RDONLY | O_CLOEXEC); /* execve(2) closes it */
			execv(argv[0], argv);
			return 1;
		}
	END
	/usr/bin/setpriv --reuid 4242 --clear-groups -- "$tmp/again" "$tmp/hanging" 7>&- &
	slow=$!
	for try in $(seq 1200); do
		! grep -q "programs of user '4242' takes long" "$tmp/daemon-log" || break
		kill -0 "$slow" 2>/dev/null || fail "the program ends"
		sleep 0.05
	done
	[ "$try" != 1200 ] || fail "it waits and waits: $(cat "$tmp/daemon-log")"
	until_undisturbed becomes_warm
	kill -KILL "$slow"
	end_hanging
	wait "$slow" || :
}

# What the daemon asks of a start when it is over, it asks nobody's server.
case_folder_of_a_program_that_hangs_delays_nobody() {
	make_plan "$disk/waiter"
	hang=
	rm -rf "$tmp/hanging"
	mkdir "$tmp/hanging"
	cp /bin/sleep "$tmp/hanging/sleep"
	chown -R 65534 "$tmp/hanging"
	"$tmp/hanging/sleep" 0 # its start is warm
	start_daemon
	begin_to_see
	/usr/bin/setpriv --reuid 65534 --clear-groups -- "$tmp/hanging/sleep" 100 7>&- &
	sleeper=$!
	until_a_note
	mount_hanging "$tmp/hanging" 65534
	sleep 6 # the daemon looks at a start for five seconds
	others_are_served
	kill "$sleeper"
	end_hanging
	wait "$sleeper" || :
	rm -r "$tmp/hanging"
}

# The daemon makes plans anew, and so do packages, of whatever starts there were. It does not matter then what hangs.
planner_waits_for_nobody() { # USER, who serves the folder
	mount_hanging "$tmp/hanging" "$1"
	("$tool" plan "$tmp/profile" >"$tmp/out" 2>&1 && : >"$tmp/made") &
	planner=$!
	for try in $(seq 600); do
		[ ! -e "$tmp/made" ] || break
		sleep 0.05
	done
	end_hanging
	wait "$planner" || fail "plan: $(cat "$tmp/out")"
	[ "$try" != 600 ] || fail "it waits for the server"
}

case_plan_of_a_start_below_a_server_that_hangs_is_made() {
	rm -f "$tmp/hanging"
	mkdir "$tmp/hanging"
	printf '%s\n' "program $disk/waiter" "folder $tmp/hanging/folder" "argument waiter" "argument $tmp/hanging/document" "argument document" \
		"argument --document=$tmp/hanging/document" "file regular $disk/data" "range 0 900 0 1" | "$make_profile" "$tmp/profile"
	planner_waits_for_nobody 0
}

# A user could have the daemon learn a start that names the user's own server, and stop all that is stored.
case_plan_that_names_what_a_users_server_has_is_made() {
	rm -rf "$tmp/hanging"
	mkdir "$tmp/hanging"
	: >"$tmp/hanging/file"
	printf '%s\n' "program $disk/waiter" "file regular $disk/data" "range 0 900 0 1" "file regular $tmp/hanging/file" "range 0 1 900 1" |
		"$make_profile" "$tmp/profile"
	planner_waits_for_nobody 65534
}

# The child that forgets is the only one beside that which reads /proc.
daemon_has_children() { # TEST NUMBER
	for try in $(seq 600); do
		/bin/true # the daemon wakes up
		! [ "$(wc -w <"/proc/$daemon_pid/task/$daemon_pid/children")" "$1" "$2" ] || return 0
		sleep 0.02
	done
	fail "the daemon has children: '$(cat "/proc/$daemon_pid/task/$daemon_pid/children")': $(cat "$tmp/daemon-log")"
}

# The daemon must not find the one half of it without the other.
clock_is() { # DAYS
	echo $(($1 * 86400)) $(($1 * 86400)) >"$tmp/clock.new"
	mv "$tmp/clock.new" "$tmp/clock"
}

# What was learnt is in the daemon's list until it is removed. Another process has the turn to change what is stored.
case_what_cannot_be_forgotten_is_tried_again() {
	! grep -q __asan_init "$daemon" || skip "a sanitized daemon lets nothing be loaded before it"
	rm -rf "$HEADSTART_STATE"
	mkdir -p "$HEADSTART_STATE"
	make_plan "$disk/waiter"
	plan=$(echo "$HEADSTART_STATE"/waiter-*.plan)
	printf 'program %s\nlearnt\nfile regular %s\nrange 0 900 0 1\n' "$disk/waiter" "$disk/data" | "$make_profile" "${plan%.plan}.profile"
	cc -shared -fPIC -DCLOCK="\"$tmp/clock\"" -o "$tmp/clock.so" "$HEADSTART_TEST_SOURCE/tests/daemon/clock.c"
	confined="$confined env LD_PRELOAD=$tmp/clock.so"
	echo 0 >"$tmp/clock"
	start_daemon
	until_note learnt -eq 1
	until [ -e "$HEADSTART_STATE/learn/known" ]; do sleep 0.05; done
	daemon_has_children -eq 1
	hold_lock "$HEADSTART_STATE/.lock"
	clock_is 70
	daemon_has_children -gt 1
	daemon_has_children -eq 1
	[ -e "$plan" ] || fail "it is removed although another process has the turn"
	rm "$tmp/locked"
	wait "$holder"
	clock_is 72
	for try in $(seq 600); do
		/bin/true
		[ -e "$plan" ] || break
		sleep 0.02
	done
	[ "$try" != 600 ] || fail "it stays for ever: $(cat "$tmp/daemon-log")"
	until_note learnt -eq 0
	# Programs of others on this machine may be known meanwhile.
	for try in $(seq 600); do
		grep -qa "$disk/waiter" "$HEADSTART_STATE/learn/known" || break
		sleep 0.05
	done
	[ "$try" != 600 ] || fail "it is known for ever: $(cat /run/headstart/daemon)"
}

# Each prefetcher that is started counts. Starts by one user are looked at once a second.
each_start_is_looked_at() {
	for start in 1 2 3 4 5; do
		sleep 1.2
		served=$(note started)
		"$page" out "$disk/data" || fail "pages stay in the page cache"
		"$disk/sleeper" 60 &
		sleeper=$!
		soon_started "$served" && comes=yes || comes=no
		kill "$sleeper"
		wait "$sleeper" || :
		[ "$comes" = yes ] || fail "start $start has no prefetcher: $(cat /run/headstart/daemon)"
	done
}

# For these starts headstart is switched off, but that is only known once a helper has looked, while they last.
case_user_who_executes_it_all_the_time_delays_nobody() {
	cp /bin/sleep "$disk/sleeper"
	sync -f "$disk"
	make_plan "$disk/sleeper"
	start_daemon --no-learn
	: >"$tmp/loop"
	$as_nobody env HEADSTART=off sh -c 'while [ -e "$2" ]; do "$1" 0.05; done' sh "$disk/sleeper" "$tmp/loop" &
	loop=$!
	until_note execs -ge 50
	until_undisturbed each_start_is_looked_at
	rm "$tmp/loop"
	wait "$loop"
}

run_cases
