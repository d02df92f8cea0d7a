#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart watch: a start, a process, the machine; on a terminal, as lines and as JSON; by the kernel's events and without them.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"
here=$HEADSTART_TEST_SOURCE/tests/live

can_record
make_disk
head -c 5000000 /dev/urandom >"$disk/file"
cp "$(command -v cat)" "$disk/reader"
machine_state >"$tmp/before"
mkfifo "$tmp/go"
export LC_ALL=C.UTF-8 TERM=xterm
unset NO_COLOR COLUMNS

# A file system that is mounted anew has nothing in memory.
cold() {
	umount "$disk" && mount -o loop "$tmp/image" "$disk"
}

watcher= other=
at_case_exit() {
	for pid in $watcher $other; do
		kill -9 "$pid" 2>/dev/null || :
	done
}

# watch ARGUMENT…: in the foreground; what it prints is in $tmp/out and $tmp/err.
watch() { alone "$tool" watch "$@" >"$tmp/out" 2>"$tmp/err"; }

# begin_watch ARGUMENT…: in the background, with JSON; returns when it has printed something.
begin_watch() {
	while :; do
		: >"$tmp/json" # what an earlier one has written is no sign of this one
		"$tool" watch --json --interval 0.2 "$@" >"$tmp/json" 2>"$tmp/err" &
		watcher=$!
		until [ -s "$tmp/json" ] || ! kill -0 "$watcher" 2>/dev/null; do
			sleep 0.05 # it tells in no other way
		done
		grep -q "another recording is running" "$tmp/err" || break
	done
	[ -s "$tmp/json" ] || {
		status=0
		wait "$watcher" || status=$?
		fail "it ended with status $status: $(cat "$tmp/err")"
	}
}

# Waits until a line of the JSON has this file, or what begins so. Returns 1 if events are lost, as the file may be.
await_path() {
	until grep -qF "\"path\":\"$1" "$tmp/json"; do
		kill -0 "$watcher" 2>/dev/null || fail "it ended without '$1': $(cat "$tmp/err")"
		! is_lost || return 1
		sleep 0.05
	done
}
is_lost() { grep -q '"lost":true' "$tmp/json"; }
await_file() { await_path "$1\"" || fail "events of '$1' were lost"; }

end_watch() {
	kill -INT "$watcher"
	wait "$watcher" || fail "it failed: $(cat "$tmp/err")"
	watcher=
}

# The whole machine may do more than watch can take, if others keep it busy. unless_lost COMMAND…: a function that begins to watch, and
# returns 1 if events are lost. It stands in a condition here, so all that may fail in it has to say so.
unless_lost() {
	for attempt in 1 2 3 4 5; do
		! "$@" || return 0
		[ -z "$watcher" ] || end_watch
		[ -z "$other" ] || kill -9 "$other"
		other=
		echo "try $attempt of '$*' failed, disturbed (events were lost)"
	done
	untried "$*: events of the whole machine are lost"
}

# The lines as one JSON list.
all_lines() {
	{ echo '['; grep '}$' "$1" | sed '2,$s/^/,/'; echo ']'; } >"$tmp/list"
	echo "$tmp/list"
}

# watched_for SECONDS: $tmp/out has the JSON of so long a time.
watched_for() {
	json "$(all_lines "$tmp/out")" - "$1" <<'END' || fail "it ended early: $(cat "$tmp/out")"
assert TOP[-1]["seconds"] >= float(ARGS[0]), TOP[-1]["seconds"]
END
}

case_start_as_lines() {
	cold
	status=0
	# However long it takes, one line has the whole file.
	watch --interval 1000 -- sh -c "echo its output; $disk/reader $disk/file >/dev/null; exit 5" || status=$?
	[ "$status" = 5 ] || fail "the status of the command is lost: $status, $(cat "$tmp/err")"
	grep -q '^its output$' "$tmp/err" || fail "the output of the command is not on standard error: $(cat "$tmp/err")"
	grep -q " s  reader [0-9]*  [45]\.[0-9] MB  waited [0-9.]* s  $disk/file$" "$tmp/out" || fail "no line of the file: $(cat "$tmp/out")"
	tail -n 1 "$tmp/out" | grep -qE '^ +[0-9.]+ s  [0-9.]+ MB read in [0-9,]+ reads, [0-9.]+ s waited for them$' || fail "no sum: $(cat "$tmp/out")"
	[ -z "$(tr -d '[:print:]\n' <"$tmp/out")" ] || fail "escape sequences in lines"
}

# The shell waits for its second child until there are some turns, however late they come: an ended process is not shown again.
case_start_as_json() { until_undisturbed start_as_json; }
start_as_json() {
	cold
	rm -f "$tmp/fifo" "$tmp/out"
	mkfifo "$tmp/fifo"
	{
		until [ "$(grep -c '}$' "$tmp/out" 2>/dev/null)" -ge 4 ] 2>/dev/null; do sleep 0.05; done
		echo >"$tmp/fifo"
	} &
	watch --json --interval 0.1 -- sh -c "$disk/reader $disk/file >/dev/null; cat $tmp/fifo; :" || {
		kill $!
		fail "$(cat "$tmp/err")"
	}
	json "$(all_lines "$tmp/out")" - "$disk" <<'END' || fail "not what happened: $(cat "$tmp/out")"
disk, last = ARGS[0], TOP[-1]
assert all(before["seconds"] < after["seconds"] for before, after in zip(TOP, TOP[1:]))
assert sum(turn["bytes"] for turn in TOP) == last["bytes_total"] and last["by"] == "events"
assert sum(file["bytes"] for turn in TOP for file in turn["files"] if file["path"] == disk + "/file") >= 4000000
by_pid = {process["pid"]: process for turn in TOP for process in turn["processes"]}  # a process has another name before it executes
processes = {process["name"]: process for process in by_pid.values()}
assert processes["reader"]["parent"] == processes["sh"]["pid"] and processes["reader"]["bytes"] >= 4000000, processes
assert processes["reader"]["states"]["running"] > 0 and processes["sh"]["states"]["child"] > 0.1, processes
assert processes["sh"]["bytes"] < 4000000 and processes["reader"]["state"] == "ended", processes
END
}

case_start_on_a_terminal() {
	alone "$here/on-terminal" 80x24 wait:"headstart watch" size:40x10 wait:"headstart watch" wait:"headstart watch" size:150x60 \
		wait:"headstart watch" wait:"headstart watch" signal:TSTP stopped signal:CONT wait:"headstart watch" interrupt -- \
		"$tool" watch --interval 0.1 -- sh -c "echo its output; $disk/reader $disk/file >/dev/null; exec sleep 1000" >"$tmp/out" 2>"$tmp/err" || :
	"$here/check-pages" "$tmp/out" 80x24 40x10 150x60 >"$tmp/after" || fail "$(cat -v "$tmp/out")"
	tr -d '\r' <"$tmp/after" | grep -q '^its output$' || fail "the output of the command is lost: $(cat "$tmp/after")"
	grep -qE " read in .* waited for (it|them)" "$tmp/after" || fail "no sum: $(cat "$tmp/after")"
	grep -q "'sh' was ended by signal 2" "$tmp/after" || fail "not interrupted: $(cat "$tmp/after")"
	grep -q "$(printf '\033\[1m')" "$tmp/out" || fail "no emphasis"
}

# The command itself looks at the room that its output takes, until that is given back.
# It may go on for long after watch has ended, and headstart reads ahead for it and what it starts as it does otherwise.
case_command_does_not_count_as_recorded() {
	watch -- env || fail "it exits $?: $(cat "$tmp/err")"
	! grep "^HEADSTART_RECORDING=" "$tmp/err" || fail "headstart takes it for recorded"
}

case_much_output_takes_little_room() {
	alone "$here/on-terminal" 80x24 -- "$tool" watch --interval 0.1 -- sh -c '
		exec 8>&1
		head -c 12000000 /dev/zero | tr "\0" x
		for try in $(seq 600); do
			[ "$(stat -L -c %b /proc/self/fd/8)" -ge 8192 ] || break
			sleep 0.05
		done
		echo; echo "the end after $(stat -L -c %b /proc/self/fd/8) blocks"' >"$tmp/out" 2>"$tmp/err" || fail "it failed: $(cat "$tmp/err")"
	blocks=$(tr -d '\r' <"$tmp/out" | sed -n 's/^the end after \([0-9]*\) blocks$/\1/p')
	[ -n "$blocks" ] || fail "the end of the output is lost: $(tail -c 1000 "$tmp/out")"
	[ "$blocks" -lt 8192 ] || fail "$blocks blocks are in use"
	grep -q "the command has written 12 MB, of which this is the end:" "$tmp/out" || fail "it does not say that there was more"
	[ "$(wc -c <"$tmp/out")" -lt 4000000 ] || fail "all of it is shown"
}

case_no_colour_where_it_is_not_wanted() {
	alone env NO_COLOR=1 "$here/on-terminal" 80x24 -- "$tool" watch --interval 0.1 -- sleep 0.3 >"$tmp/out" || fail "it failed"
	"$here/check-pages" "$tmp/out" 80x24 >/dev/null || fail "$(cat -v "$tmp/out")"
	sed "s/$(printf '\033\[0m\033')//" "$tmp/out" | grep -q "$(printf '\033\[[0-9]*m')" && fail "colours: $(cat -v "$tmp/out")"
	alone env TERM=dumb "$here/on-terminal" 80x24 -- "$tool" watch -- true >"$tmp/out" || fail "it failed"
	! grep -q "$(printf '\033')" "$tmp/out" || fail "sequences for a dumb terminal: $(cat -v "$tmp/out")"
}

case_terminal_is_clean_however_it_ends() {
	alone "$here/on-terminal" 80x24 -- "$tool" watch -- sh -c 'kill -9 $$' >"$tmp/out" || :
	"$here/check-pages" "$tmp/out" 80x24 >"$tmp/after" || fail "the command was killed: $(cat -v "$tmp/out")"
	alone "$here/on-terminal" 80x24 wait:"headstart watch" signal:TERM -- "$tool" watch -- sleep 1000 >"$tmp/out" || :
	"$here/check-pages" "$tmp/out" 80x24 >"$tmp/after" || fail "watch was ended: $(cat -v "$tmp/out")"
}

case_names_do_nothing_to_the_terminal() {
	name=$(printf 'a\033[2Jb\r\302\233c')
	cp "$disk/file" "$disk/$name"
	cp "$disk/reader" "$disk/r$name"
	cold
	alone "$here/on-terminal" 100x30 -- "$tool" watch --interval 0.1 -- "$disk/r$name" "$disk/$name" /dev/null >"$tmp/written" || fail "it failed"
	# What the program itself has written comes after the pages.
	/usr/bin/python3 - "$tmp/written" "$tmp/out" <<'END'
import sys
written = open(sys.argv[1], "rb").read()
end = b"\033[?25h\033[?1049l"
open(sys.argv[2], "wb").write(written[:written.rindex(end) + len(end)])
END
	"$here/check-pages" "$tmp/out" 100x30 >/dev/null || fail "the names act upon the terminal"
	watch -- "$disk/r$name" "$disk/$name" || fail "it failed"
	[ -z "$(tr -d '[:print:]\n' <"$tmp/out")" ] || fail "control characters in lines: $(cat -v "$tmp/out")"
}

case_process_that_runs() {
	# The child of the process reads.
	sh -c "read -r word <$tmp/go; $disk/reader $disk/file >/dev/null; sleep 1000 & wait" &
	other=$!
	cold
	begin_watch "$other"
	echo >"$tmp/go"
	await_file "$disk/file"
	kill -9 $(cat /proc/$other/task/$other/children) "$other"
	parent=$other
	wait "$watcher" || fail "it does not end with the process: $(cat "$tmp/err")"
	watcher= other=
	json "$(all_lines "$tmp/json")" - "$disk" "$parent" <<'END' || fail "not what happened: $(cat "$tmp/json")"
readers = [process for turn in TOP for process in turn["processes"] if process["name"] == "reader"]
assert readers and all(reader["parent"] == int(ARGS[1]) for reader in readers), readers
assert {process["name"] for turn in TOP for process in turn["processes"]} <= {"sh", "reader", "sleep"}
END
	machine_state | diff "$tmp/before" - || fail "the machine is not as it was"
}

# The kernel is told of threads, not of processes.
case_threads_that_run() {
	/usr/bin/python3 - "$tmp/go" "$disk/file" <<'END' &
import sys, threading

def read():
    open(sys.argv[1]).read()
    open(sys.argv[2], "rb").read()

threading.Thread(target=read, daemon=True).start()
threading.Event().wait()
END
	other=$!
	until [ "$(ls "/proc/$other/task" | wc -l)" = 2 ]; do
		sleep 0.05 # it tells in no other way
	done
	cold
	begin_watch "$other"
	echo >"$tmp/go"
	await_file "$disk/file"
	kill -9 "$other"
	wait "$watcher" || fail "it does not end with the process: $(cat "$tmp/err")"
	watcher= other=
}

# A process makes children without pause while watch begins. Each reads a file of its own once the first line is there.
case_children_that_are_made_while_it_begins() {
	cat >"$tmp/makes" <<'END'
import os, signal, sys, time
stop, folder = sys.argv[1:]
go, going = os.pipe()
told, tells = os.pipe()
made = 0
while made < 249 and not os.path.exists(stop):
    made += 1
    if os.fork() == 0:
        os.close(going)
        os.read(go, 1)
        open(f"{folder}/{made}", "rb").read()
        os.write(tells, b"x")
        os._exit(0)
    time.sleep(0.005)
os.close(going)
for _ in range(made):
    os.read(told, 1)
open(f"{folder}/last-{made}", "rb").read()
signal.pause()
END
	for whom in process machine; do
		mkdir "$disk/$whom"
		# The last one reads a file that says how many there are.
		/usr/bin/python3 -c 'import sys
for i in range(1, 250):
    for name in (str(i), f"last-{i}"):
        open(f"{sys.argv[1]}/{name}", "w").write("text")' "$disk/$whom"
		unless_lost children_are_seen $whom
	done
}
children_are_seen() {
	cold || fail "cannot mount the disk anew"
	rm -f "$tmp/stop"
	/usr/bin/python3 "$tmp/makes" "$tmp/stop" "$disk/$1" &
	other=$!
	until [ "$(wc -w <"/proc/$other/task/$other/children")" -gt 5 ]; do
		sleep 0.05 # it tells in no other way
	done
	begin_watch $([ "$1" = machine ] || echo "$other")
	recorders=$watcher
	: >"$tmp/stop"
	await_path "$disk/$1/last-" || return 1
	end_watch
	! is_lost || return 1
	kill -9 "$other"
	other=
	json "$(all_lines "$tmp/json")" - "$disk/$1" <<'END' || fail "$1: some children are not seen"
paths = {file["path"] for turn in TOP for file in turn["files"]}
last = next(path for path in paths if path.startswith(ARGS[0] + "/last-"))
missing = {i for i in range(1, int(last.rpartition("-")[2]) + 1) if f"{ARGS[0]}/{i}" not in paths}
assert not missing, (missing, last)
END
}

# What the kernel keeps for us has an end, too: files whose opening it has dropped have no name.
case_more_is_opened_than_the_kernel_tells() {
	sleep 600 &
	other=$!
	begin_watch "$other"
	kill -STOP "$watcher"
	/usr/bin/python3 - $(($(cat /proc/sys/fs/fanotify/max_queued_events) + 1000)) >"$tmp/err" 2>&1 <<'END' || skip "cannot open that many files: $(cat "$tmp/err")"
import os, sys
left = int(sys.argv[1])
for folder, _, names in os.walk("/usr"):
    for name in names:
        try:
            os.close(os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW))
        except OSError:
            continue
        left -= 1
        if left == 0:
            sys.exit(0)
sys.exit(f"{left} are missing")
END
	kill -CONT "$watcher"
	until is_lost; do
		kill -0 "$watcher" || fail "it ended, and does not say that names are missing: $(cat "$tmp/err")"
		sleep 0.05
	done
	end_watch
	kill -9 "$other"
	other=
}

# Its system calls have other numbers: the one that it sleeps in is a read of 64-bit programs. One sleeps when watch comes, another one
# begins later.
case_sleep_of_32_bit_programs_is_no_read() {
	cc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -o "$disk/i386" \
		"$HEADSTART_TEST_SOURCE/tests/record/programs/followed32.c" 2>/dev/null || skip "no compiler for 32-bit programs"
	head -c 2000000 /dev/zero >"$disk/zeros"
	"$disk/i386" "$disk/zeros" || skip "32-bit programs do not run here"
	sh -c '"$1/i386" "$1/zeros" for long & read -r word <"$2"; "$1/i386" "$1/zeros" for long' sh "$disk" "$tmp/go" &
	other=$!
	until sleeper=$(tr -d ' ' <"/proc/$other/task/$other/children") && [ "$sleeper" ] && grep -q '^267 ' "/proc/$sleeper/syscall"; do
		sleep 0.05 # it tells in no other way
	done
	begin_watch "$other"
	echo >"$tmp/go"
	until grep -q '"name":"i386".*"name":"i386"' "$tmp/json"; do
		kill -0 "$watcher" || fail "the watching has ended: $(cat "$tmp/err")"
		sleep 0.05
	done
	lines=$(wc -l <"$tmp/json")
	until [ "$(wc -l <"$tmp/json")" -gt $((lines + 5)) ]; do
		kill -0 "$watcher" || fail "the watching has ended: $(cat "$tmp/err")"
		sleep 0.05
	done
	kill -9 $(cat /proc/$other/task/$other/children) "$other"
	wait "$watcher" || fail "it failed: $(cat "$tmp/err")"
	watcher= other=
	json "$(all_lines "$tmp/json")" - <<'END' || fail "not what happened: $(cat "$tmp/json")"
sleepers = [process for turn in TOP for process in turn["processes"] if process["name"] == "i386"]
assert len({process["pid"] for process in sleepers}) == 2, sleepers
for process in sleepers:
    assert process["states"].get("read", 0) < 0.2, process
assert any(process["states"].get("other", 0) > 0.2 for process in sleepers), sleepers
END
}

case_machine() { unless_lost machine; }
machine() {
	cold || fail "cannot mount the disk anew"
	begin_watch
	recorders=$watcher
	"$disk/reader" "$disk/file" >/dev/null || fail "the reader fails"
	await_path "$disk/file\"" || return 1
	end_watch
	machine_state | diff "$tmp/before" - || fail "the machine is not as it was"
}

# As when somebody plugs a disk in.
case_disk_that_is_mounted_meanwhile() {
	begin_watch
	cold
	# What is opened before watch has seen the mount has no name.
	until grep -qF "\"path\":\"$disk/file\"" "$tmp/json"; do
		kill -0 "$watcher" 2>/dev/null || fail "it ended without the file: $(cat "$tmp/err")"
		evict "$disk/file"
		"$disk/reader" "$disk/file" >/dev/null
		sleep 0.05
	done
	end_watch
}

# What others mount in a namespace of their own goes when their last process ends: the disk can be removed at once.
case_machine_keeps_no_mounts_of_others() {
	truncate -s 16M "$tmp/theirs"
	mkfs.ext4 -q -F "$tmp/theirs"
	mkdir -p "$tmp/there"
	begin_watch
	unshare --mount --propagation private sh -c 'mount -o loop "$1/theirs" "$1/there" || exit
		read -r _ </etc/passwd
		read -r _ <"$1/go"' sh "$tmp" &
	other=$!
	until [ -n "$(losetup -j "$tmp/theirs")" ]; do
		kill -0 "$other" 2>/dev/null || skip "no loop device here"
		sleep 0.05 # it tells in no other way
	done
	# What it has opened is seen while it is there.
	lines=$(wc -l <"$tmp/json")
	until [ "$(wc -l <"$tmp/json")" -gt $((lines + 2)) ]; do
		kill -0 "$watcher" || fail "the watching has ended: $(cat "$tmp/err")"
		sleep 0.05
	done
	echo >"$tmp/go"
	wait "$other"
	other=
	# Others on the machine may look at it, too.
	tries=0
	while [ -n "$(losetup -j "$tmp/theirs")" ]; do
		kill -0 "$watcher" || fail "the watching has ended: $(cat "$tmp/err")"
		[ $((tries += 1)) -lt 1200 ] || fail "watch keeps it: $(losetup -j "$tmp/theirs")"
		sleep 0.05 # it tells in no other way
	done
	end_watch
}

case_watch_without_root() {
	for_others "$tool"
	as_user="$as_nobody $others/headstart-tool"
	chmod 755 "$tmp" "$disk"
	$as_nobody test -x "$disk/reader" || skip "the folder of tests is closed to other users"
	$as_user watch --json --interval 0.1 -- sh -c "$disk/reader $disk/file >/dev/null; sleep 0.5" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	json "$(all_lines "$tmp/out")" - "$disk" <<'END' || fail "not what happened: $(cat "$tmp/out")"
assert all(turn["by"] == "looks" for turn in TOP)
assert sum(file["bytes"] for turn in TOP for file in turn["files"] if file["path"] == ARGS[0] + "/file") >= 5000000
END
	$as_nobody sh -c "exec <$disk/file; read -r word <$tmp/go; exec sleep 1000" &
	other=$!
	chmod 666 "$tmp/go"
	echo >"$tmp/go" # it is somebody else's process now, and has the file open
	$as_user watch --timeout 0.5 --interval 0.1 --json "$other" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	watched_for 0.5
	grep -q "libc" "$tmp/out" || fail "nothing was seen of the process: $(cat "$tmp/out")"
	refuses 1 "process $$ may not be looked into: use sudo" $as_user watch $$
	refuses 1 "needs root: sudo headstart watch" $as_user watch
	refuses 1 "--user needs root" $as_user watch --user nobody -- true
}

case_root_of_a_container_is_told_to_leave_it() {
	refuses 1 "run 'headstart watch' outside of it" unshare --pid --fork "$tool" watch
}

case_timeout_leaves_the_command_alone() {
	watch --json --interval 0.1 --timeout 0.5 -- sh -c "sleep 0.1; read -r word <$tmp/go; : >$tmp/went-on; echo >$tmp/go" || fail "$(cat "$tmp/err")"
	grep -q "the watching has ended; 'sh' goes on$" "$tmp/err" || fail "$(cat "$tmp/err")"
	echo >"$tmp/go"
	read -r word <"$tmp/go"
	[ -e "$tmp/went-on" ] || fail "it did not go on"
	watched_for 0.5
}

# The terminal of another user's command is ours, in between.
case_terminal_of_another_user() {
	until_watch_ends='while [ -e /proc/$PPID/task ]; do sleep 0.1; done'
	cc -shared -fPIC -D_GNU_SOURCE -o "$tmp/late.so" "$HEADSTART_TEST_SOURCE/tests/record/programs/late.c" -ldl || fail "cc"
	for preloaded in "" "$tmp/late.so"; do
		alone "$here/on-terminal" 80x24 wait:begun interrupt wait:told interrupt -- env LD_PRELOAD="$preloaded" "$tool" watch --lines --user nobody -- \
			sh -c "trap 'echo told' INT; echo begun; $until_watch_ends" >"$tmp/out" 2>&1 || fail "not interrupted: $(cat "$tmp/out")"
		grep -q "'sh' goes on" "$tmp/out" || fail "the command has ended: $(cat "$tmp/out")"
	done
	alone "$here/on-terminal" 80x24 -- sh -c 'modes=$(stty -g); "$@"; [ "$(stty -g)" = "$modes" ]' sh \
		"$tool" watch --lines --user nobody --timeout 0.3 -- sh -c "$until_watch_ends" >"$tmp/out" 2>&1 ||
		fail "the terminal has other modes: $(cat "$tmp/out")"
	grep -q "'sh' goes on" "$tmp/out" || fail "the command has ended: $(cat "$tmp/out")"
}

# A reader that has gone ends the watching, and nothing else: the terminal is as it was, and the command goes on.
case_reader_that_has_gone() {
	until_watch_ends='while [ -e /proc/$PPID/task ]; do sleep 0.1; done'
	alone "$here/on-terminal" 80x24 -- env --default-signal=PIPE sh -c 'modes=$(stty -g); "$@" | head -n 1 >/dev/null; [ "$(stty -g)" = "$modes" ]' sh \
		"$tool" watch --json --interval 0.1 --user nobody -- sh -c "$until_watch_ends" >"$tmp/out" 2>&1 ||
		fail "the terminal has other modes: $(cat "$tmp/out")"
	grep -q "'sh' goes on" "$tmp/out" || fail "the command has ended: $(cat "$tmp/out")"
	for_others "$tool"
	chmod 755 "$tmp"
	$as_nobody test -x "$tmp" || skip "the folder of tests is closed to other users"
	$as_nobody "$others/headstart-tool" watch --json --interval 0.1 -- \
		sh -c "until grep -q 'goes on' $tmp/err; do sleep 0.05; done; echo survived >&2" 2>"$tmp/err" | head -n 1 >/dev/null
	grep -q '^survived$' "$tmp/err" || fail "by ptrace, the command was ended: $(cat "$tmp/err")"
}

# As below nohup(1).
case_ignored_signals_end_nothing() {
	trap '' HUP TERM
	begin_watch "$$"
	trap - HUP TERM
	kill -HUP "$watcher"
	kill -TERM "$watcher"
	lines=$(wc -l <"$tmp/json")
	until [ "$(wc -l <"$tmp/json")" -gt $((lines + 2)) ]; do
		kill -0 "$watcher" 2>/dev/null || fail "a signal that is ignored has ended it"
		sleep 0.05 # it tells in no other way
	done
	end_watch
}

case_bad_input() {
	none=$(($(cat /proc/sys/kernel/pid_max) + 1))
	refuses 1 "there is no process $none" "$tool" watch "$none"
	refuses 2 "'0' is not the number of a process" "$tool" watch 0
	refuses 2 "'99999999999' is not the number of a process" "$tool" watch 99999999999
	refuses 2 "'0.01' is not a number of seconds from 0.1 on" "$tool" watch --interval 0.01
	refuses 2 "'x' is not a number of seconds" "$tool" watch --timeout x
	refuses 2 "no command given after '--'" "$tool" watch --
	refuses 2 "--user is for a command that is started" "$tool" watch --user nobody 1
	refuses 127 "'no-such-program' is not in PATH: give its whole path" "$tool" watch -- no-such-program
	refuses 127 "'12' is not in PATH: give its whole path" "$tool" watch -- 12
	refuses 126 "'/etc/passwd' cannot be run" "$tool" watch -- /etc/passwd
}

full_output() { "$tool" watch --json -- true >/dev/full; }
case_closed_output() {
	refuses 1 "cannot write to standard output: Bad file descriptor" sh -c "'$tool' watch --json -- true >&-"
}

case_full_output() {
	refuses 1 "cannot show what was seen: No space left on device" alone full_output
}

run_cases
