#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart trace and headstart report: what they write and say, and that nothing stays half-written.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
make_programs
machine_state >"$tmp/before"
file=$tmp/timeline

trace() { "$tool" trace --no-drop -o "$file" "$@" >"$tmp/out" 2>"$tmp/err"; }

report() { COLUMNS=1000 "$tool" report "$@" "$file" >"$tmp/report" 2>"$tmp/err" || fail "$(cat "$tmp/err")"; }

# Expects a command to fail with this status and these words, and to leave no file.
leaves_nothing() { # STATUS WORDS COMMAND…
	rm -f "$file"
	refuses "$@"
	[ ! -e "$file" ] || fail "left a file: $*"
}

case_each_process_file_and_read_is_there() {
	make_disk_cold
	trace -- "$disk/link" || fail "$(cat "$tmp/err")"
	grep -q 'were waiting for [0-9,]* reads\?' "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"
	report --json
	json "$tmp/report" - "$disk" <<'END' || fail "the report is not what happened"
said, disk = TOP, ARGS[0]
files = {file["path"]: file for file in said["files"]}
assert said["program"] == disk + "/script" and said["milestone"] == "exit", said
programs = [process["program"] for process in said["processes"]]
assert disk + "/start" in programs and disk + "/helper" in programs, programs
first = said["processes"][0]["pid"]
assert {p.get("parent") for p in said["processes"]} == {None, first}, said["processes"]
assert files[disk + "/data"]["bytes"] > 0 and files[disk + "/data"]["kind"] == "regular", sorted(files)
assert files[disk + "/libthree.so.1.0"]["reads"] >= 1, sorted(files)
assert any(file["kind"] == "metadata" and file["reads"] for file in said["files"]), sorted(files)
assert said["bytes"] == sum(file["bytes"] for file in said["files"])
assert said["causes"]["running"] > 0
total = sum(said["causes"].values())
assert abs(total - said["seconds"]) <= 0.03 * said["seconds"], (total, said["seconds"])
END
	report --rows 1
	grep -q '^  and [0-9]* more$' "$tmp/report" || fail "no rows were left out: $(cat "$tmp/report")"
	tail -n 1 "$tmp/report" | grep -q ' computing; .*\.$' || fail "the report does not end with the sentence: $(cat "$tmp/report")"
}

# Its system calls have other numbers.
case_sleep_of_a_32_bit_program_is_no_read() {
	cc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -o "$disk/i386" \
		"$HEADSTART_TEST_SOURCE/tests/record/programs/followed32.c" 2>/dev/null || skip "no compiler for 32-bit programs"
	head -c 2000000 /dev/zero >"$disk/zeros"
	"$disk/i386" "$disk/zeros" || skip "32-bit programs do not run here"
	trace -- sh -c "$disk/i386 $disk/zeros sleep; exit 0" || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - "$disk/i386" <<'END' || fail "it waited for something else"
[process] = [process for process in TOP["processes"] if process["program"] == ARGS[0]]
assert process["causes"]["other"] > process["causes"]["read"], process
END
}

# A timeline without the reads of disks would look complete and not be; a profile is as good.
case_disks_that_cannot_be_traced_are_said() {
	cc -shared -fPIC -D_GNU_SOURCE -o "$tmp/no-disks.so" "$HEADSTART_TEST_SOURCE/tests/record/programs/no-disks.c" -ldl || fail "cc"
	leaves_nothing 1 "cannot set up tracing: No such device" env LD_PRELOAD="$tmp/no-disks.so" "$tool" trace --no-drop -o "$file" -- true
	machine_state | diff "$tmp/before" - || fail "the machine is not as it was"
	env LD_PRELOAD="$tmp/no-disks.so" "$tool" record --no-drop -o "$file" -- "$disk/link" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	"$tool" show "$file" | grep -qF "$disk/helper" || fail "the profile is without what it touched"
	rm -f "$file"
}

case_next_command_can_be_typed() {
	"$tool" trace --no-drop -o "$tmp/a b" -- true 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -qxF "headstart: for more, type:  headstart report '$tmp/a b'" "$tmp/err" || fail "$(cat "$tmp/err")"
}

# The program reads a second file only if it is told to, so that a plan of a start with it has pages in vain in a start without.
judged() {
	make_disk_cold
	trace -- "$HEADSTART_TEST_BUILD/tools/headstart" run -- "$disk/reads" || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - <<'END' || fail "not judged as it was"
ahead = TOP["prefetched"]
assert ahead["in_time"]["bytes"] + ahead["late"]["bytes"] >= 800000, ahead            # what was used; its first pages are probed
assert 800000 <= ahead["in_vain"]["bytes"] <= 1200000, ahead                           # what was spared
assert " reads that headstart made ahead, " in TOP["summary"], TOP["summary"]
END
}
case_what_is_prefetched_is_in_time_or_in_vain() {
	head -c 1000000 /dev/urandom >"$disk/used"
	head -c 1000000 /dev/urandom >"$disk/spared"
	cp "$(command -v cat)" "$disk/cat"
	printf '#!/bin/sh\n"%s" "%s" ${ALSO:+"%s"} >/dev/null\n' "$disk/cat" "$disk/used" "$disk/spared" >"$disk/reads"
	chmod +x "$disk/reads"
	ALSO=yes "$tool" record --quiet --no-drop -- "$disk/reads" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	until_undisturbed judged # under pressure the prefetcher does nothing
	trace -- "$disk/reads" || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - <<'END' || fail "a start without a plan has reads of a plan"
assert all(part["reads"] == 0 for part in TOP["prefetched"].values()), TOP["prefetched"]
END
}

told_apart() {
	trace -- /usr/bin/python3 -S -c '
import os, threading, time
lock = threading.Lock()
lock.acquire()
thread = threading.Thread(target=lambda: (time.sleep(0.3), lock.release()))
thread.start()
lock.acquire()
if os.fork() == 0:
    time.sleep(0.3)
    os._exit(0)
os.wait()' || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - <<'END' || fail "not told apart"
parent, child = sorted(TOP["processes"], key=lambda process: "parent" in process)
assert len(TOP["processes"]) == 2, TOP["processes"]
assert parent["causes"]["child"] >= 0.25, parent        # in the parent alone: nothing else is alive there
assert child["causes"]["timer"] >= 0.25, child
assert TOP["causes"]["timer"] >= 0.5 and TOP["causes"]["child"] < 0.1, TOP["causes"]  # the sleep is the cause of both
END
}
case_threads_locks_and_children_are_told_apart() { until_undisturbed told_apart; }

# The user who called sudo draws the page without it.
case_timeline_belongs_to_the_user_of_the_command() {
	mkdir -m 755 "$disk/theirs"
	chown 65534 "$disk/theirs"
	chmod 755 "$tmp"
	setpriv --reuid 65534 --clear-groups test -w "$disk/theirs" || skip "the folder of tests is closed to other users"
	name=$(id -un 65534 2>/dev/null) || skip "there is no user with the number 65534"
	for output in "$disk/theirs/timeline" "$disk/timeline"; do
		"$tool" trace --quiet --no-drop --user "$name" -o "$output" -- true 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	done
	(cd "$disk/theirs" && "$tool" trace --quiet --no-drop --user "$name" -o relative -- true) || fail "a relative path"
	owners=$(stat -c %u:%a "$disk/theirs/timeline" "$disk/theirs/relative" "$disk/timeline" | paste -s -d ' ')
	[ "$owners" = "65534:600 65534:600 0:600" ] || fail "owners and modes are $owners"
	rm -r "$disk/theirs" "$disk/timeline"
}

# Chromium executes its children so. The name leads to the recorder in the recorder, and the start reads that, too.
case_program_that_executes_itself_is_no_other() {
	trace -- /usr/bin/python3 -S -c 'import os, sys
open(sys.argv[1], "rb").read(1)
os.execv("/proc/self/exe", ["python3", "-S", "-c", ""])' "$tool" || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - "$tool" <<'END' || fail "another program"
assert [process["program"] != ARGS[0] for process in TOP["processes"]] == [True], TOP["processes"]
END
}

# As programs in Go do. From then on the thread has the number of the first one.
case_thread_that_executes_a_program() {
	head -c 1000000 /dev/urandom >"$disk/late"
	cp "$(command -v cat)" "$disk/executed"
	make_disk_cold
	trace -- /usr/bin/python3 -S -c 'import os, sys, threading
threading.Thread(target=os.execv, args=(sys.argv[1], sys.argv[1:])).start()
threading.Event().wait()' "$disk/executed" "$disk/late" || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - "$disk" <<'END' || fail "what was executed is lost"
assert [process["program"] for process in TOP["processes"]] == [ARGS[0] + "/executed"], TOP["processes"]
assert sum(file["bytes"] for file in TOP["files"] if file["path"] == ARGS[0] + "/late") >= 900000, TOP["files"]
END
}

case_milestone_ends_the_trace() {
	trace --until time:0.5 --kill -- sleep 100 || fail "$(cat "$tmp/err")"
	report --json
	json "$tmp/report" - <<'END' || fail "wrong end"
assert TOP["milestone"] == "time" and 0.5 <= TOP["seconds"] < 90, TOP
END
}

case_programs_that_fail_are_traced() {
	trace -- sh -c 'kill -9 $$' || fail "$(cat "$tmp/err")"
	grep -q 'was ended by signal 9' "$tmp/err" || fail "$(cat "$tmp/err")"
	report
	trace -- "$(command -v sh)" -c 'exec 0<&- 1>&- 2>&-; exit 3' || fail "$(cat "$tmp/err")"
	report
}

case_wrong_command_lines() {
	leaves_nothing 2 'no command given' "$tool" trace -o "$file"
	leaves_nothing 2 'no file given to write to' "$tool" trace -- true
	leaves_nothing 2 "unknown milestone 'soon'" "$tool" trace -o "$file" --until soon -- true
	refuses 2 'no file given' "$tool" report
	refuses 2 'is not a number of rows' "$tool" report --rows x "$file"
	leaves_nothing 127 "'no-such-program' is not in PATH: give its whole path" "$tool" trace -o "$file" -- no-such-program
	leaves_nothing 1 'is not a regular file' "$tool" trace -o /dev/full -- true
	leaves_nothing 1 "cannot write '$tmp/no/folder'" "$tool" trace -o "$tmp/no/folder" -- true
	for_others "$tool"
	leaves_nothing 1 'needs root' $as_nobody "$others/headstart-tool" trace -o "$file" -- true
}

case_full_disk_leaves_nothing() {
	mkdir "$tmp/full"
	mount -t tmpfs -o size=4k tmpfs "$tmp/full"
	at_case_exit() { umount "$tmp/full" 2>/dev/null || :; }
	file=$tmp/full/timeline
	leaves_nothing 1 'No space left on device' "$tool" trace -q --no-drop -o "$file" -- sh -c "$(printf 'ls /; %.0s' 1 2 3 4 5 6 7 8 9 10 11 12)"
	[ -z "$(ls -A "$tmp/full")" ] || fail "left something: $(ls -A "$tmp/full")"
}

case_files_that_are_no_timelines() {
	trace -q -- true || fail "$(cat "$tmp/err")"
	cp "$file" "$tmp/good"
	for word in trunc:truncated change:damaged; do
		cp "$tmp/good" "$tmp/bad"
		case $word in
		trunc:*) truncate -s -1 "$tmp/bad" ;;
		change:*) printf 'x' | dd of="$tmp/bad" bs=1 seek=60 conv=notrunc status=none ;;
		esac
		refuses 1 "is ${word#*:}" "$tool" report "$tmp/bad"
	done
	refuses 1 'is not a headstart timeline' "$tool" report "$HEADSTART_TEST_SOURCE/README.md"
	refuses 1 "cannot read '$tmp/none'" "$tool" report "$tmp/none"
	refuses 1 'directory' "$tool" report "$tmp"
}

# File names reach a terminal only as text.
case_hostile_names_are_harmless() {
	name=$(printf 'a\033[31m\nb')
	cp "$disk/helper" "$disk/$name"
	trace -- "$disk/$name" --version || fail "$(cat "$tmp/err")"
	report
	! grep -q "$(printf '\033')" "$tmp/report" || fail "a control character reached the page"
	grep -qF 'a\x1b[31m\x0ab' "$tmp/report" || fail "$(cat "$tmp/report")"
}

case_machine_is_left_as_it_was() {
	machine_state | diff "$tmp/before" - >&2 || fail "the machine is not as it was"
}

run_cases
