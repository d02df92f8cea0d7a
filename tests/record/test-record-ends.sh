#!/bin/sh
# SPDX-License-Identifier: MIT
# How a recording ends: milestones, timeout, a command that fails or is missing, a killed recorder.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/display-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
at_case_exit() { [ -z "${recorder-}" ] || kill "$recorder" 2>/dev/null || :; }
machine_state >"$tmp/before"
mkfifo "$tmp/begun" "$tmp/told"

unchanged() {
	machine_state | diff "$tmp/before" - >&2 || fail "the machine is not as it was after: $*"
}

# Runs a recording and prints how it ended.
milestone() {
	"$tool" record --json -o "$tmp/profile" "$@" >"$tmp/out" 2>"$tmp/err" || fail "$* failed: $(cat "$tmp/err")"
	tail -n 1 "$tmp/out" | json - 'TOP["milestone"]'
	unchanged "$@"
}

case_every_milestone_ends_a_recording() {
	[ "$(milestone -- true)" = exit ] || fail "exit"
	[ "$(milestone --until exit -- sh -c 'cat /dev/null & exit 3')" = exit ] || fail "exit of the tree"
	grep -q "exited with status 3" "$tmp/err" || fail "the failed command was not told"
	[ "$(milestone --until time:0.2 --kill -- sleep 100)" = time ] || fail "time"
	[ "$(milestone --until idle:0.3 --kill -- sh -c 'cat /dev/null; sleep 100')" = idle ] || fail "idle"
	[ "$(milestone --until mark --kill -- sh -c "$tool mark; sleep 100")" = mark ] || fail "mark"
	[ "$(milestone --until mark -- "$tool" mark)" = mark ] || fail "mark at the very end"
	[ "$(milestone --timeout 0.2 --kill -- sleep 100)" = timeout ] || fail "timeout"
	grep -q '"timeout"' "$tmp/out" || fail "the timeout is not among the biases"
}

# A read may take longer than the start is to be idle for.
blocked_start() {
	[ "$(milestone --until idle:1 --kill -- "$disk/blocked" "$disk/late")" = idle ] || fail "it ends otherwise: $(cat "$tmp/out")"
	"$tool" show --json "$tmp/profile" | grep -q "\"$disk/late\"" || fail "what was read after the wait is missing"
}
case_start_that_waits_for_a_disk_is_not_idle() {
	cc -O1 -o "$disk/blocked" "$HEADSTART_TEST_SOURCE/tests/record/programs/blocked.c" || fail "cc"
	echo late >"$disk/late"
	sync -f "$disk"
	until_undisturbed blocked_start
}

# The command goes on after the milestone, and the recorder waits for it.
case_recorder_waits_for_the_command() {
	[ "$(milestone --until mark -- sh -c "$tool mark; sleep 0.5; : >$tmp/went-on")" = mark ] || fail "mark"
	[ -e "$tmp/went-on" ] || fail "the recorder did not wait for the command"
}

# A recorder was killed together with its guard and left things behind, and its process number is used again. tracefs is mounted
# only for steps that cannot fail: a failure would remove $tmp with tracefs in it.
case_leftovers_of_a_dead_recorder_are_removed() {
	mkdir -p "$tmp/tracefs"
	mount -t tracefs tracefs "$tmp/tracefs"
	mkdir "$tmp/tracefs/instances/headstart-0" || : # a killed run of this test may have left it
	made=$(ls "$tmp/tracefs/instances" | grep -x headstart-0 || :)
	umount --lazy "$tmp/tracefs"
	[ -n "$made" ] || fail "no tracing instance can be made"
	"$tool" record --quiet -o "$tmp/profile" -- true
	mount -t tracefs tracefs "$tmp/tracefs"
	left=$(ls "$tmp/tracefs/instances" | grep -x headstart-0 || :)
	umount --lazy "$tmp/tracefs"
	[ -z "$left" ] || fail "what a dead recorder left is there still"
}

# The recording is stored, with its plan, where the launcher finds it.
case_recording_is_stored_with_its_plan() {
	"$tool" record --quiet -- true
	find "$HEADSTART_STATE" -name "*.profile" | grep -q . || fail "no profile was stored"
	find "$HEADSTART_STATE" -name "*.plan" | grep -q . || fail "no plan was made"
	"$tool" record -- true 'a b' 2>"$tmp/err"
	grep -qx "headstart: to measure what it gains:  headstart measure -- true 'a b'" "$tmp/err" || fail "no next command: $(cat "$tmp/err")"
	tail -n 3 "$tmp/err" >"$tmp/last"
	{
		read -r touched
		read -r expected
	} <"$tmp/last"
	case $touched in "headstart: "[1-9]*" files, "*" until exit: '"*) ;; *) fail "not what was touched: $touched" ;; esac
	case $expected in "headstart: expected on this disk: "* | "headstart: what it saves is not known: the disk was not measured") ;;
	*) fail "not what is expected: $expected" ;; esac
	HEADSTART_STATE=$tmp/state-of-sleep "$tool" record --until idle:0.5 --kill -- sleep 100 2>"$tmp/err"
	grep -qx "headstart: to measure what it gains:  headstart measure --until idle:0.5 -- sleep 100" "$tmp/err" || fail "$(cat "$tmp/err")"
	HEADSTART_STATE=$tmp/state-of-lines "$tool" record -- true "$(printf 'a\nb')" 2>"$tmp/err"
	! grep "to measure" "$tmp/err" || fail "a command is proposed that a message cannot show"
	"$tool" record --quiet --merge -- true
	"$tool" show --json "$(find "$HEADSTART_STATE" -name '*.profile')" | grep -q '"runs": *2' || fail "not merged"
}

case_window_ends_a_recording() {
	shows=$HEADSTART_TEST_BUILD/tests/lib/shows
	[ -x "$shows" ] || skip "this build has no libxcb"
	have Xvfb || return 0
	start_display
	at_case_exit() { stop_display; }
	"$tool" record --quiet --until window --kill -o "$tmp/profile" -- sh -c "echo \$WAYLAND_DISPLAY; exec $shows window" >"$tmp/out"
	"$tool" show --json "$tmp/profile" | grep -q '"milestone": *"window"' || fail "the window did not end it"
	grep -qx "headstart-uses-x11" "$tmp/out" || fail "the program may open its window where nobody sees it"
	"$tool" record --quiet --until window --timeout 2 --kill -o "$tmp/profile" -- "$shows" none
	"$tool" show --json "$tmp/profile" | grep -q '"milestone": *"timeout"' || fail "something that is no window ended it"
	refuses 1 "DISPLAY names no X11 display" env -u DISPLAY "$tool" record --until window -- "$shows" window
	unchanged "recordings until a window"
}

# Root looks at the user's display as that user, who alone may.
case_window_of_a_user_ends_a_recording() {
	shows=$HEADSTART_TEST_BUILD/tests/lib/shows
	[ -x "$shows" ] || skip "this build has no libxcb"
	have Xvfb || return 0
	for_others "$shows"
	start_display
	at_case_exit() { stop_display; }
	refuses 1 "DISPLAY names no X11 display" "$tool" record --user nobody --until window -- "$others/shows" window
	chown nobody "/tmp/.X11-unix/X${DISPLAY#:}" || skip "the display has no socket of its own"
	"$tool" record --quiet --user nobody --until window --kill -o "$tmp/profile" -- "$others/shows" window
	"$tool" show --json "$tmp/profile" | grep -q '"milestone": *"window"' || fail "the window did not end it"
}

# The command keeps its own arguments, input, output, folder and signals.
case_command_has_its_own_surroundings() {
	(cd /usr && echo input | "$tool" record --quiet -o "$tmp/profile" -- sh -c 'pwd; cat; echo "$0 $1"' a 'b c') >"$tmp/out"
	printf '/usr\ninput\na b c\n' | diff - "$tmp/out" || fail "the command saw something else"

	ls /proc/self/fd >"$tmp/expected"
	"$tool" record --quiet -o "$tmp/profile" -- ls /proc/self/fd >"$tmp/out"
	diff "$tmp/expected" "$tmp/out" >&2 || fail "the command inherited descriptors"

	unusual="env --ignore-signal=CHLD --block-signal=ALRM,USR1"
	$unusual grep ^Sig[BI] /proc/self/status >"$tmp/expected"
	$unusual "$tool" record --quiet -o "$tmp/profile" -- grep ^Sig[BI] /proc/self/status >"$tmp/out"
	diff "$tmp/expected" "$tmp/out" >&2 || fail "the command has other signals"
}

# With few descriptors there are few for what the command opens while the recorder does not get its turn.
case_few_descriptors() {
	mkdir "$disk/many"
	/usr/bin/python3 -c 'import sys
for i in range(2000):
    open(f"{sys.argv[1]}/{i}", "w").write("text")' "$disk/many"
	sync
	cat >"$tmp/open-many" <<'END'
import os, resource, signal, sys
os.kill(os.getppid(), signal.SIGSTOP)
for i in range(2000):
    open(f"{sys.argv[1]}/{i}").read()
os.kill(os.getppid(), signal.SIGCONT)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
END
	for limit in -S -H; do
		(ulimit -S -n 300 && ulimit $limit -n 300 && exec "$tool" record --quiet -o "$tmp/profile" -- /usr/bin/python3 "$tmp/open-many" "$disk/many") >"$tmp/out"
		[ "$(cat "$tmp/out")" = 300 ] || fail "the command has another limit: $(cat "$tmp/out")"
		"$tool" show --json --all "$tmp/profile" >"$tmp/shown"
		json "$tmp/shown" - "$limit" "$disk/many/" <<'END' || fail "files are missing without a word"
files = sum(file["path"].startswith(ARGS[1]) for file in TOP["files"])
assert files == 2000 or ARGS[0] == "-H" and "lost" in TOP["bias"], (files, TOP["bias"])
END
	done
	unchanged "recordings with few descriptors"
}

# Below a program that ignores SIGCHLD, as everything that it starts does.
case_caller_that_ignores_the_ends_of_children() {
	for user in root nobody; do
		refuses 1 "false' exited with status 1 (--force keeps it)" env --ignore-signal=CHLD "$tool" record --quiet --no-drop --user $user -- false
	done
}

case_wrong_arguments_are_refused() {
	refuses 127 "'no-such-program' is not in PATH: give its whole path" "$tool" record -o "$tmp/none" -- no-such-program
	refuses 126 "cannot be run" "$tool" record -o "$tmp/none" -- /etc/passwd
	refuses 2 "unknown milestone 'sometime'" "$tool" record --until sometime -- true
	refuses 1 "cannot write '$tmp/none/output'" "$tool" record -o "$tmp/none/output" -- true
	mkfifo "$tmp/output"
	refuses 1 "'$tmp/output' is not a regular file" "$tool" record -o "$tmp/output" -- true
	refuses 1 "there is no user 'nobody-at-all'" "$tool" record --user nobody-at-all -- true
	refuses 1 "needs root" $as_nobody "$tool" record --backend trace -- true
	refuses 1 "there is no recording 'none'" "$tool" mark none
	refuses 1 "which recording? HEADSTART_RECORDING is not set" env -u HEADSTART_RECORDING "$tool" mark
	env -u HEADSTART_RECORDING "$tool" mark --quiet
	[ ! -e "$tmp/none" ] || fail "a failed recording left a profile"
	unchanged "refusals"
}

# An ELF file for an unknown machine counts as a program until the kernel looks at it.
case_file_that_is_no_program() {
	printf '\177ELFnonsense' >"$tmp/nonsense"
	chmod +x "$tmp/nonsense"
	"$tool" record --quiet -o "$tmp/profile" -- "$tmp/nonsense" >/dev/null 2>&1 || :
	unchanged "a program that cannot be run"
}

# As another user, with that user's home.
case_command_of_another_user() {
	"$tool" record --quiet --user nobody -o "$tmp/profile" -- sh -c 'id -un; echo "$HOME"' >"$tmp/out"
	printf '%s\n%s\n' nobody "$(getent passwd nobody | cut -d: -f6)" | diff - "$tmp/out" || fail "not the user's own"
}

# It names files of this user: nobody else may read it. Where the user may not write, it is root's.
case_output_belongs_to_the_user() {
	mode=$(stat -c %a "$tmp")
	chmod 755 "$tmp"
	mkdir "$tmp/of-nobody"
	chown nobody "$tmp/of-nobody"
	"$tool" record --quiet --user nobody -o "$tmp/of-nobody/profile" -- true || fail "it exits $?"
	"$tool" record --quiet --user nobody -o "$tmp/of-root" -- true || fail "where the user may not write it exits $?"
	(cd "$tmp/of-nobody" && "$tool" record --quiet --user nobody -o beside -- true) || fail "a relative name: it exits $?"
	chmod "$mode" "$tmp"
	[ "$(stat -c '%U %a' "$tmp/of-nobody/profile" "$tmp/of-nobody/beside" "$tmp/of-root" | tr '\n' ',')" = "nobody 600,nobody 600,root 600," ] ||
		fail "not the user's alone: $(ls -l "$tmp/of-nobody" "$tmp/of-root")"
}

# The recorder is killed in the middle, and the guard restores everything. The command reports that the recording has begun.
case_killed_recorder_leaves_the_machine_as_it_was() {
	"$tool" record --quiet -o "$tmp/none" -- sh -c "echo begun >$tmp/begun; exec sleep 100" &
	recorder=$!
	recorders="$recorders $recorder"
	read -r word <"$tmp/begun"
	command=$(cat "/proc/$recorder/task/$recorder/children")
	! machine_state | diff "$tmp/before" - >/dev/null || fail "read-ahead was not off while recording"
	refuses 1 "another recording is running" "$tool" record -o "$tmp/none" -- true
	kill -9 "$recorder"
	wait "$recorder" || :
	recorder=
	kill $command
	# The guard holds the lock until it has finished, so the next recording begins when everything is restored.
	tries=0
	until "$tool" record --quiet -o "$tmp/profile" -- true 2>"$tmp/err"; do
		grep -q "another recording" "$tmp/err" || fail "$(cat "$tmp/err")"
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || fail "the guard did not finish"
	done
	unchanged "a killed recorder"
	[ ! -e "$tmp/none" ] || fail "a killed recorder left a profile"
}

# What doctor finds wrong with the disk made here, if anything.
doctor_of_disk() {
	"$tool" doctor "$disk/sed" --json >"$tmp/doctor" || :
	json "$tmp/doctor" '"\n".join(f["severity"] + ": " + f["what"] + " $ " + (f["mend"] or "") for f in TOP["findings"]
		if f["subject"] == "read-ahead" and ARGS[0] in f["what"])' "$1"
}

# Killed together with its guard: the note says what to put back, to doctor and to the next recording.
case_killed_guard_leaves_a_note() {
	cp "$(command -v sed)" "$disk/sed"
	device=$(findmnt -no SOURCE "$disk")
	device=${device#/dev/}
	was=$(cat "/sys/block/$device/queue/read_ahead_kb")
	echo 64 >"/sys/block/$device/queue/read_ahead_kb"
	"$tool" record --quiet -o "$tmp/none" -- sh -c "echo begun >$tmp/begun; exec sleep 100" &
	recorder=$!
	recorders="$recorders $recorder"
	read -r word <"$tmp/begun"
	children=$(cat "/proc/$recorder/task/$recorder/children")
	doctor_of_disk "$device" | grep -q "^ok: .*off while a recording runs, which then sets it to 64" ||
		fail "doctor of a running recording: $(cat "$tmp/doctor")"
	for guard in $children none; do
		[ "$(cat "/proc/$guard/comm")" != headstart-guard ] || break
	done
	kill -9 "$guard" "$recorder"
	wait "$recorder" || :
	recorder=
	kill $children 2>/dev/null || :
	said=$(doctor_of_disk "$device")
	case $said in
	"note: "*"echo 64 | sudo tee /sys/block/$device/queue/read_ahead_kb") ;;
	*) fail "doctor of a killed recording: $said" ;;
	esac
	"$tool" record --quiet -o "$tmp/profile" -- true
	[ "$(cat "/sys/block/$device/queue/read_ahead_kb")" = 64 ] || fail "the next recording did not put read-ahead back"
	[ -z "$(doctor_of_disk "$device")" ] || fail "doctor still finds: $(doctor_of_disk "$device")"
	echo "$was" >"/sys/block/$device/queue/read_ahead_kb"
}

# SIGTERM ends the recorder: the command gets it too, and nothing is written.
case_sigterm_ends_the_command_too() {
	"$tool" record -o "$tmp/none" -- sh -c "trap 'echo told >$tmp/told; exit' TERM; echo begun >$tmp/begun; while :; do sleep 0.1; done" \
		2>"$tmp/err" &
	recorder=$!
	recorders="$recorders $recorder"
	read -r word <"$tmp/begun"
	kill "$recorder"
	wait "$recorder" && fail "an interrupted recording succeeded"
	recorder=
	read -r word <"$tmp/told"
	grep -q "interrupted; no profile was written" "$tmp/err" || fail "$(cat "$tmp/err")"
	[ ! -e "$tmp/none" ] || fail "an interrupted recording left a profile"
	unchanged "an interrupted recorder"
}

run_cases
