#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd learns what a start of a user touches of this user's own files, for this user alone.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
. "$HEADSTART_TEST_SOURCE/tests/daemon/users-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/cgroup-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/systemd-lib.sh"
make_waiter "$disk"
home=$disk/home
other_home=$disk/other-home
own=$(own_of "$home")
own_settings

manager_pid=
at_case_exit() {
	end_units
	stop_daemon
	stop_listening
	"$daemon" --sweep
	end_hanging
}

# The daemon has no more rights than its unit, and so asks systemd for processes of users.
start_under_systemd() {
	start_daemon
	listen_for_keep /run/headstart/keep
}

# The user's file in a folder of root's, the user's folder with a file of theirs and a program of somebody else's. Each case has a turn,
# for the daemon records; it ends with the case, or once a home hangs, which takes long.
make_files() {
	share_turn
	rm -rf "$home" "$other_home" "$disk/data.closed" "$disk/data.theirs" "$HEADSTART_STATE"
	make_home "$home" "$user"
	make_home "$other_home" "$other"
	make_home "$disk/data.closed" "$user"
	head -c 400000 /dev/urandom >"$disk/data.theirs"
	head -c 400000 /dev/urandom >"$disk/data.closed/data"
	cp /bin/true "$disk/data.closed/helper"
	chmod 755 "$disk/data.closed/helper"
	chown "$user" "$disk/data.theirs" "$disk/data.closed/data"
	chown "$other" "$disk/data.closed/helper"
	make_users "$home" "$other_home"
	sync -f "$disk"
}

is_learnt() { grep -q "learnt how '$disk/waiter' starts\$" "$tmp/daemon-log"; }

# Starts the waiter cold, so that it reads its data once it is traced, or after two seconds.
cold_start() { # COMMAND that starts its arguments…
	"$page" out "$disk/waiter" $(find "$disk" -type f -name "data*") "$disk/data.closed/data" || fail "pages stay in the page cache"
	rm -f "$tmp/go"
	"$@" "$disk/waiter" 7>&- &
	waiter=$!
	await_note tracing 1
	: >"$tmp/go"
	wait "$waiter" || fail "the program fails"
}

# Starts it cold until it is learnt, and nothing works on that any more.
learn() { # COMMAND that starts its arguments…
	waiter_is_noted "$@"
	for start in $(seq 10); do
		cold_start "$@"
		for try in $(seq 160); do
			! is_learnt || break 2
			sleep 0.05
		done
	done
	is_learnt || fail "after $start cold starts it is not learnt: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	note_tries=1200 until_note tracing -eq 0
}

plan_of() { ls "$1"/waiter-*.plan 2>/dev/null; }

# What everybody can see, and what root has, name nothing of the user's.
nothing_is_told() {
	! grep -ra "data\.theirs\|data\.closed\|$home" /run/headstart "$HEADSTART_STATE" "$tmp/daemon-log" || fail "it tells what the user has"
}

case_own_files_are_in_the_users_plan() {
	make_files
	start_under_systemd
	learn $as_user
	[ -n "$(plan_of "$own")" ] || fail "the user has no plan: $(ls -lR "$home"; cat "$tmp/daemon-log")"
	is_private "$home" "$user"
	for file in "$(plan_of "$own")" "$(echo "$own"/waiter-*.profile)"; do
		for wanted in data data.closed/data data.theirs waiter; do
			case " $(named "$file") " in *" $wanted "*) ;; *) fail "$file lacks '$wanted': $(named "$file")" ;; esac
		done
		case " $(named "$file") " in *" data.closed/helper "*) fail "$file names another user's file" ;; esac
	done
	"$tool" show --json "$(echo "$own"/waiter-*.profile)" >"$tmp/shown" || fail "the profile is not good"
	json "$tmp/shown" - "$disk" <<'END'
files = {file["path"][len(ARGS[0]) + 1:]: file for file in TOP["files"]}
for name in ("data.theirs", "data.closed/data"):
    assert sum(r["pages"] for r in files[name]["ranges"]) == (400000 + 4095) // 4096, files[name]
assert "learnt" in TOP["bias"], TOP["bias"]
END
	nothing_is_told
	[ -n "$(plan_of "$HEADSTART_STATE")" ] || fail "root has no plan"
	# The plan is of use: it brings in what only the user may read.
	for_others "$headstart"
	"$page" out "$disk/waiter" "$disk/data" "$disk/data.theirs" "$disk/data.closed/data" || fail "pages stay in the page cache"
	rm -f "$tmp/go"
	stop_daemon
	(cd / && exec $as_user env -i HOME="$home" PATH="$PATH" "$others/headstart" run -- "$disk/waiter") 7>&- &
	waiter=$!
	for try in $(seq 200); do
		! "$page" came "$disk/data.theirs" "$disk/data.closed/data" >"$tmp/came" || break
		sleep 0.05
	done
	: >"$tmp/go"
	wait "$waiter" || fail "the program fails"
	[ "$try" != 200 ] || fail "the plan brings in $(cat "$tmp/came")"
}

# In the foreground of a machine without systemd it has all of root's rights, and starts headstart-keep itself.
case_without_systemd_the_daemon_starts_the_process() {
	make_files
	confined=
	start_daemon
	learn $as_user
	[ -n "$(plan_of "$own")" ] || fail "the user has no plan: $(ls -lR "$home"; cat "$tmp/daemon-log")"
	is_private "$home" "$user"
	nothing_is_told
}

# With all that the installed units forbid, but for their conditions: the tests may run in a container.
start_units() {
	begin_units
	for unit in headstartd.service headstart-keep@.service headstart-keep.socket; do
		from=$HEADSTART_TEST_SOURCE/packaging/$unit
		[ -e "$from" ] || from=$from.in
		sed "s,@private@,$others,; /^Condition/d" "$from" >"$units/$unit"
	done
	mkdir -p "$units/headstartd.service.d" /run/headstart
	cat >"$units/headstartd.service.d/test.conf" <<-END
		[Service]
		Environment=HEADSTART_STATE=$HEADSTART_STATE HEADSTART_CONFIG= HEADSTART_LOG=$tmp/log
		StandardError=append:$tmp/daemon-log
	END
	[ -e /sys/kernel/tracing/trace ] || mount -t tracefs tracefs /sys/kernel/tracing || skip "no tracefs"
	make_manager_cgroups
	begin_manager $manager "$units" "$tmp" $in_manager || skip "no systemd manager runs here: $(tail -1 "$tmp/manager.log")"
	systemctl --user start headstartd.service || fail "the unit does not start: $(systemctl --user status headstartd.service; cat "$tmp/daemon-log" "$tmp/manager.log")"
	daemon_pid=$(systemctl --user show --value -p MainPID headstartd.service)
}
end_units() {
	[ -n "$manager_pid" ] || return 0
	systemctl --user stop headstartd.service headstart-keep.socket
	daemon_pid=
	kill -9 "$manager_pid"
	wait "$manager_pid" || :
	manager_pid=
	remove_cgroups
}

case_nothing_is_needed_that_the_units_forbid() {
	have_systemd || skip "no systemd"
	make_files
	start_units
	for line in "NoNewPrivs:	1" "Seccomp:	2"; do
		grep -qx "$line" "/proc/$daemon_pid/status" || fail "it is not confined: $(cat "/proc/$daemon_pid/status")"
	done
	learn $as_user
	[ -n "$(plan_of "$own")" ] || fail "the user has no plan: $(ls -lR "$home"; cat "$tmp/daemon-log")"
	for start in $(seq 10); do
		! own_files_come $as_user || break
	done
	[ -n "$came" ] || fail "the user's files stay cold: $(cat "$tmp/came" "$tmp/daemon-log")"
	end_units
}

# Whoever else listens there is told nothing: the kernel says who called listen(2).
case_listener_of_another_user_is_told_nothing() {
	make_files
	start_daemon
	/usr/bin/python3 - "$other" /run/headstart/keep "$tmp/told" 7>&- <<'END' &
import os, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(sys.argv[2])
os.seteuid(int(sys.argv[1]))
server.listen()
os.seteuid(0)
while True:
    connection, _ = server.accept()
    with open(sys.argv[3], "ab") as out:
        out.write(b"connected\n" + connection.recv(100))
END
	listener=$!
	learn $as_user
	[ -z "$(ls -A "$home")" ] || fail "the user has $(find "$home")"
	until [ -s "$tmp/told" ]; do kill -0 "$listener" && sleep 0.05; done
	[ "$(sort -u "$tmp/told")" = connected ] || fail "it was told: $(cat "$tmp/told")"
}

# Root's plan is there already. Another user's start of the program is watched, since it can make that more exact.
case_later_start_of_another_user_is_kept_for_that_user() {
	make_files
	chown "$other" "$disk/data.theirs"
	start_under_systemd
	learn $as_user
	[ -z "$(ls -A "$other_home")" ] || fail "the other user has $(find "$other_home")"
	for start in $(seq 12); do
		cold_start $as_other
		note_tries=1200 until_note tracing -eq 0
		[ -z "$(plan_of "$(own_of "$other_home")")" ] || break
		[ $((start % 3)) != 0 ] || { # the next start is watched at once
			stop_daemon
			stop_listening
			start_under_systemd
		}
	done
	[ -n "$(plan_of "$(own_of "$other_home")")" ] || fail "the other user has no plan: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	is_private "$other_home" "$other"
	case " $(named "$(plan_of "$(own_of "$other_home")")") " in
	*" data.closed/data "*) fail "it names the first user's files" ;;
	*" data.theirs "*) ;;
	*) fail "it does not name their own: $(named "$(plan_of "$(own_of "$other_home")")")" ;;
	esac
}

# Root's plan brings in what everybody may have, a process of the user's the rest.
own_files_come() { # COMMAND that starts its arguments…
	"$page" out "$disk/waiter" "$disk/data" "$disk/data.theirs" "$disk/data.closed/data" || fail "pages stay in the page cache"
	rm -f "$tmp/go"
	"$@" "$disk/waiter" 7>&- &
	waiter=$!
	came=
	for try in $(seq 100); do
		! "$page" came "$disk/data" "$disk/data.theirs" "$disk/data.closed/data" >"$tmp/came" || came=1
		[ -z "$came" ] || break
		sleep 0.05
	done
	none=
	! "$page" none "$disk/data.theirs" "$disk/data.closed/data" >"$tmp/came" || none=1
	: >"$tmp/go"
	wait "$waiter" || fail "the program fails"
	[ -n "$came" ]
}

# Nothing comes of them, though as much time goes by as they would have to come.
own_files_stay() { # COMMAND that starts its arguments…
	! own_files_come "$@" && [ -n "$none" ]
}

case_own_plan_is_carried_out_without_a_shim() {
	make_files
	start_under_systemd
	learn $as_user
	for start in $(seq 10); do
		! own_files_come $as_user || break
	done
	[ -n "$came" ] || fail "the user's files stay cold: $(cat "$tmp/came" "$tmp/daemon-log" "$tmp/listener-log")"
	find "$HEADSTART_STATE/learn" -type d ! -perm 700 | { ! grep .; } || fail "others can read who has plans"
	nothing_is_told
	# Neither in a start that is switched off, nor for somebody who has none. Whoever keeps the start before looks at the files, too.
	for command in "$as_user env HEADSTART=off" "$as_other"; do
		for start in 1 2; do
			until_a_note && note_tries=1200 until_note tracing -eq 0
			own_files_stay $command || fail "'$command': the user's files are read: $(cat "$tmp/came")"
		done
	done
	# The user forgets the plan, and then root does not know of it either.
	rm "$own"/waiter-*.plan "$own"/waiter-*.profile
	set_settings '[daemon]
learn = no
'
	for start in $(seq 10); do
		own_files_come $as_user || :
		[ -n "$(ls "$HEADSTART_STATE/learn/users/$user")" ] || break
	done
	set_settings ""
	[ -z "$(ls "$HEADSTART_STATE/learn/users/$user")" ] || fail "it still counts as the user's"
}

# What is left of a service of systemd is ended with its main process. Whoever compiles the stale plan again has done it by then.
case_own_plan_heals() {
	make_files
	chown -R "$user" "$disk/data.closed"
	start_under_systemd
	learn $as_user
	stop_listening
	for_others "$HEADSTART_TEST_BUILD/tools/headstart-tool"
	cat >"$tmp/service" <<-END
		import ctypes, os, signal, sys
		ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
		main = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
		os.waitpid(main, 0)
		for process in filter(str.isdigit, os.listdir("/proc")):
		    try:
		        with open(f"/proc/{process}/stat") as file:
		            if int(file.read().rpartition(")")[2].split()[1]) == os.getpid():
		                os.kill(int(process), signal.SIGKILL)
		    except (FileNotFoundError, ProcessLookupError):
		        pass
	END
	keep="/usr/bin/python3 $tmp/service $keep"
	set_settings '[daemon]
learn = no
' # what is learnt would replace the plan, too
	listen_for_keep /run/headstart/keep
	head -c 300000 /dev/urandom >"$disk/data.theirs"
	sync -f "$disk"
	old=$(stat -c %i "$(plan_of "$own")")
	for start in $(seq 10); do
		cold_start $as_user
		note_tries=1200 until_note tracing -eq 0
		for try in $(seq 100); do
			[ "$(stat -c %i "$(plan_of "$own")")" = "$old" ] || break 2
			sleep 0.05
		done
	done
	set_settings ""
	[ "$(stat -c %i "$(plan_of "$own")")" != "$old" ] || fail "the plan is still the old one: $(ls -l "$own"; cat "$tmp/daemon-log" "$tmp/listener-log")"
	[ -z "$(find "$own" -name '*.stale')" ] || fail "it is stale: $(ls -l "$own")"
}

# A start that takes on other rights on the way is nobody's alone.
case_start_of_two_users_is_for_nobody() {
	make_files
	start_under_systemd
	learn setpriv --ruid "$user" --euid "$other" --rgid "$user" --clear-groups --
	[ -z "$(ls -A "$home")$(ls -A "$other_home")" ] || fail "somebody has a plan of it: $(find "$home" "$other_home")"
	nothing_is_told
}

case_root_says_that_nothing_is_learnt() {
	make_files
	start_under_systemd
	waiter_is_noted
	set_settings '[daemon]
learn = no
'
	for start in 1 2; do
		cold_start $as_user
		note_tries=1200 until_note tracing -eq 0
	done
	! is_learnt || fail "it is learnt"
	stop_daemon
	stop_listening
	rm "$HEADSTART_STATE/learn/known"
	start_under_systemd
	for start in 1 2; do
		cold_start $as_user
		note_tries=1200 until_note tracing -eq 0
	done
	stop_daemon
	! grep -qas "$disk/waiter" "$HEADSTART_STATE/learn/"* || fail "it is noted: $(grep -as "$disk/waiter" "$HEADSTART_STATE/learn/"*)"
	set_settings ""
	[ -z "$(ls -A "$home")" ] || fail "the user has $(find "$home")"
}

# The user's home lies on a server that never answers.
make_hanging_home() {
	mkdir -p "$tmp/hanging"
	mount_hanging "$tmp/hanging"
	make_users "$tmp/hanging" "$other_home"
}

# A program with a plan of root's, which brings in $disk/big. It stays until somebody has looked at it.
make_big() {
	cp /bin/sleep "$disk/stays"
	head -c 819200 /dev/urandom >"$disk/big"
	sync -f "$disk"
	"$make_profile" "$tmp/profile" <<-END
		program $disk/stays
		file regular $disk/big
		range 0 200 0 1
	END
	"$tool" plan "$tmp/profile" >"$tmp/out" 2>&1 || fail "plan: $(cat "$tmp/out")"
}

# Meanwhile plans of others are carried out.
others_are_served() {
	before=$(note started)
	for try in $(seq 20); do
		"$page" out "$disk/big" || fail "pages stay in the page cache"
		$as_other "$disk/stays" 600 7>&- &
		stays=$!
		soon_started "$before" && comes=yes || comes=no
		kill "$stays"
		wait "$stays" || :
		[ "$comes" = no ] || break
	done
	[ "$comes" = yes ] || fail "no plan of another user is carried out: $(cat /run/headstart/daemon)"
	[ -e "/proc/$hangs" ] || fail "nothing hung meanwhile"
}

# The server goes, and with it what waits for it.
home_answers_no_more() {
	kill -KILL "$server"
	wait "$server" || :
	for try in $(seq 200); do
		[ -e "/proc/$hangs" ] || break
		sleep 0.05
	done
	[ ! -e "/proc/$hangs" ] || fail "the process stays"
}

case_home_that_hangs_delays_nobody() {
	make_files
	make_hanging_home
	start_under_systemd
	make_big
	waiter_is_noted $as_user
	for start in $(seq 10); do
		cold_start $as_user
		hangs=
		for try in $(seq 400); do
			hangs=$(children_named "$listener" headstart-keep)
			[ -z "$hangs" ] || break
			[ "$(note tracing)" = 1 ] || [ "$try" -lt 40 ] || break
			sleep 0.05
		done
		[ -z "$hangs" ] || break
	done
	[ -n "$hangs" ] || fail "no process of the user waits: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	exec 7<&-
	others_are_served
	# The daemon gives it up, and goes on.
	note_tries=1800 until_note tracing -eq 0
	is_learnt || fail "root's part is not learnt: $(cat "$tmp/daemon-log")"
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status"
	nothing_is_told
	home_answers_no_more
}

given_up() {
	for try in $(seq 1800); do
		[ -n "$(children_named "$daemon_pid" headstartd)" ] || return 0
		sleep 0.05
	done
	fail "the daemon waits for ever: $(children_named "$daemon_pid" headstartd)"
}
started_without_the_user() {
	for start in $(seq 10); do
		before=$(note started)
		cold_start $as_user
		[ "$(note started)" -le "$before" ] || break
	done
	note_tries=1200 until_note tracing -eq 0
	[ "$(note started)" -gt "$before" ] || fail "root's plan is not carried out: $(cat /run/headstart/daemon)"
}

# The home of a user who has a plan. Root's plan is carried out all the same.
case_home_that_hangs_delays_no_plan() {
	make_files
	start_under_systemd
	make_big
	learn $as_user
	make_hanging_home
	stop_daemon
	stop_listening
	start_under_systemd
	for start in $(seq 10); do
		before=$(note started)
		cold_start $as_user
		for try in $(seq 100); do
			hangs=$(children_named "$listener" headstart-keep)
			[ -z "$hangs" ] || break 2
			sleep 0.05
		done
	done
	[ -n "$hangs" ] || fail "no process of the user waits: $(cat /run/headstart/daemon "$tmp/daemon-log")"
	exec 7<&-
	[ "$(note started)" -gt "$before" ] || note_tries=200 until_note started -gt "$before"
	others_are_served
	# Once the daemon has given it up, the user gets no more of them: one at most, if it was given up without an answer.
	for round in 1 2 3; do
		given_up
		processes=$(children_named "$listener" headstart-keep)
		started_without_the_user
		[ "$(children_named "$listener" headstart-keep)" != "$processes" ] || break
		echo "round $round: the user gets another process"
	done
	[ "$(children_named "$listener" headstart-keep)" = "$processes" ] || fail "the user gets one process after the other: $(children_named "$listener" headstart-keep)"
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status"
	nothing_is_told
	home_answers_no_more
}

run_cases
