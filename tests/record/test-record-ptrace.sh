#!/bin/sh
# SPDX-License-Identifier: MIT
# Recording by ptrace, as an ordinary user: every way to touch a page, programs of every kind, how recordings end, what they leave.
# If root runs this test, another user does all of it.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/programs/programs-lib.sh"
on_disk
disk=$tmp/disk
mkdir "$disk" "$tmp/home" "$tmp/out.d"
chmod 755 "$tmp" "$disk"
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user with"
	as_user=$as_nobody
	chown 65534:65534 "$tmp/home" "$tmp/out.d"
else
	as_user=
fi
unset HEADSTART_STATE XDG_STATE_HOME SUDO_UID
for_others "$HEADSTART_TEST_BUILD/tools/headstart-tool" "$headstart" "$prefetch"
tool=$others/headstart-tool
profile=$tmp/out.d/profile
cd /
as_user() { $as_user env HOME="$tmp/home" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
as_user test -x "$disk" || skip "'$disk' cannot be reached by an ordinary user"

# record [OPTION…] -- COMMAND…: records as the ordinary user. Prints what the command writes; what headstart says is in $tmp/err.
record() {
	rm -f "$profile"
	as_user "$tool" record -o "$profile" "$@" 2>"$tmp/err"
}

status=0
record --backend ptrace -- true || status=$?
case $(cat "$tmp/err") in
*"forbids tracing"* | *"does not know this processor"* | *"cannot follow the command"*) skip "ptrace does not work here: $(cat "$tmp/err")" ;;
esac
[ "$status" = 0 ] || fail "nothing can be recorded: $(cat "$tmp/err")"

says() {
	grep -qE -- "$1" "$tmp/err" || fail "it did not say '$1': $(cat "$tmp/err")"
}

# has FILE PAGE…: the profile has these pages of the file.
has() {
	"$tool" show --json --all "$profile" >"$tmp/shown" || fail "the profile cannot be shown"
	json "$tmp/shown" - "$@" <<'END' || fail "the profile lacks some of: $*"
pages = {page for file in TOP["files"] if file["path"] == ARGS[0] for run in file["ranges"]
         for page in range(run["page"], run["page"] + run["pages"])}
assert {int(page) for page in ARGS[1:]} <= pages, sorted(pages)
END
}

make_programs
head -c 4000000 /dev/urandom >"$disk/file"
cc -O1 -D_GNU_SOURCE -pthread -o "$disk/followed" "$HEADSTART_TEST_SOURCE/tests/record/programs/followed.c" || fail "cc"
real=$(realpath "$disk")

case_backend_is_chosen_and_told() {
	record -- true || fail "$(cat "$tmp/err")"
	says "^headstart: recording by ptrace, since trace events need root: the pages are known less exactly$"
	record --quiet -- true
	[ ! -s "$tmp/err" ] || fail "--quiet said: $(cat "$tmp/err")"
	"$tool" show "$profile" | grep -q '^  by  *ptrace and page tables; ended by: exit$' || fail "the backend is not shown"
	"$tool" show "$profile" | grep -q 'the order of mapped pages is known only in steps' || fail "the bias is not shown"
	record --json -- true >"$tmp/out"
	tail -n 1 "$tmp/out" >"$tmp/json"
	[ "$(json "$tmp/json" 'TOP["backend"]')" = ptrace ] || fail "the backend is not in the JSON"
	refuses 2 "unknown backend 'strace': use auto, trace, ptrace or pagemap" as_user "$tool" record --backend strace -- true
	refuses 1 "by the kernel's trace events needs root: use sudo, or --backend ptrace" as_user "$tool" record --backend trace -- true
	refuses 1 "--user needs root" as_user "$tool" record --user nobody -- true
	refuses 2 "--keep-read-ahead is for trace events" as_user "$tool" record --keep-read-ahead -- true
	refuses 2 "--page-cache-events is for trace events" as_user "$tool" record --page-cache-events -- true
}

case_every_way_to_touch_a_page_is_seen() {
	# What is mapped is seen in a page table, whatever was in memory before.
	for way in mapped written unmapped mapped-over moved pread read readv preadv sendfile splice relative \
		without-descriptors thread fork vfork stopped; do
		record -- "$disk/followed" "$way" "$disk/file" || fail "$way: $(cat "$tmp/err")"
		has "$real/file" 100
		! grep -q "exited with status" "$tmp/err" || fail "$way: the program failed: $(cat "$tmp/err")"
	done
}

# A database that is mapped whole, and has holes.
case_large_mapping_hides_nothing() {
	truncate -s 1T "$disk/large" || skip "no file of 1 TiB on this file system"
	record -- "$disk/followed" beside-large "$disk/file" "$disk/large" || fail "$(cat "$tmp/err")"
	! grep -q "exited with status" "$tmp/err" || fail "the program failed: $(cat "$tmp/err")"
	has "$real/file" 100
}

# A read is known exactly, and what was not touched is not in the profile.
case_reads_are_exact() {
	record -- "$disk/followed" pread "$disk/file"
	has "$real/file" 100
	[ "$(json "$tmp/shown" 'sum(run["pages"] for file in TOP["files"] if file["path"] == ARGS[0] for run in file["ranges"])' \
		"$real/file")" = 1 ] || fail "one page was read: $(cat "$tmp/shown")"
}

# Where page tables are exact, what lies beside a touched page does not count, though it is in memory.
case_mapped_pages_are_exact() {
	"$HEADSTART_TEST_BUILD/tests/record/can-be-exact" || skip "this kernel or processor cannot do it"
	for way in mapped unmapped mapped-again moved-before protected thread; do
		cat "$disk/file" >/dev/null
		record --no-drop -- "$disk/followed" "$way" "$disk/file" || fail "$way: $(cat "$tmp/err")"
		has "$real/file" 100
		[ "$(json "$tmp/shown" 'sum(run["pages"] for file in TOP["files"] if file["path"] == ARGS[0] for run in file["ranges"])' \
			"$real/file")" = 1 ] || fail "$way: one page was touched: $(cat "$tmp/shown")"
	done
}

# What makes them so is not seen by the program, and stops none.
case_exact_page_tables_disturb_nobody() {
	record -- "$disk/followed" lowest "$disk/file" || fail "$(cat "$tmp/err")"
	! grep -q "exited with status" "$tmp/err" || fail "a descriptor is in its way: $(cat "$tmp/err")"
	for way in moved-together own-faults; do
		"$disk/followed" "$way" "$disk/file" || { untried "$way, which fails here anyhow"; continue; }
		record -- "$disk/followed" "$way" "$disk/file" || fail "$way: $(cat "$tmp/err")"
		! grep -q "exited with status" "$tmp/err" || fail "$way: the program failed: $(cat "$tmp/err")"
		has "$real/file" 100
	done
	for way in signalled filtered; do
		record -- "$disk/followed" "$way" "$disk/file" "$disk/followed" pread "$disk/file" || fail "$way: $(cat "$tmp/err")"
		! grep -q "exited with status" "$tmp/err" || fail "$way: the program failed: $(cat "$tmp/err")"
		has "$real/file" 100
	done
	record --until mark -- sh -c "grep -c '^VmFlags:.* uw' /proc/\$\$/smaps >$tmp/out.d/registered; $tool mark
		while grep -q '^VmFlags:.* uw' /proc/\$\$/smaps; do :; done" || fail "$(cat "$tmp/err")"
	! "$HEADSTART_TEST_BUILD/tests/record/can-be-exact" || [ "$(cat "$tmp/out.d/registered")" -gt 3 ] ||
		fail "the memory of a shell was not registered: $(cat "$tmp/out.d/registered")"
}

case_programs_that_execute_others() {
	for way in exec exec-of-thread; do
		record -- "$disk/followed" "$way" "$disk/file" "$disk/helper" --version >"$tmp/out" || fail "$way: $(cat "$tmp/err")"
		has "$real/file" 100
		has "$real/helper" 0
		json "$tmp/shown" - "$real" <<'END' || fail "$way: the programs are not those"
assert [point["path"] for point in TOP["execs"]] == [ARGS[0] + "/followed", ARGS[0] + "/helper"], TOP["execs"]
END
	done
}

# As busybox, Go and Chromium do; /proc/self must not mean the recorder.
case_program_that_executes_itself() {
	ln -s /proc/self/exe "$disk/itself"
	for name in /proc/self/exe //proc/self/exe /proc/./self/exe proc/self/exe "$disk/itself" /proc/thread-self/../../exe; do
		record -- "$disk/followed" exec-self "$disk/file" pread "$name" || fail "$name: $(cat "$tmp/err")"
		! grep -q "exited with status" "$tmp/err" || fail "$name: the program failed: $(cat "$tmp/err")"
		has "$real/file" 100
		json "$tmp/shown" - "$real/followed" "$(realpath "$tool")" <<'END' || fail "$name: the recorder is in the profile"
assert ARGS[1] not in [file["path"] for file in TOP["files"]]
END
	done
	[ "$(json "$tmp/shown" 'len(TOP["execs"])')" -gt 0 ] || fail "no program"
	# The descriptors of the program, not of the recorder.
	record -- sh -c "exec 7<$disk/file; exec 8</dev/fd/7; exec 9</proc/self/fd/7; exec /dev/fd/6" 6<"$disk/followed" 2>/dev/null || :
	"$tool" show --json --all "$profile" >"$tmp/shown"
	json "$tmp/shown" - "$real" <<'END' || fail "the program behind a descriptor is missing"
assert [point["path"] for point in TOP["execs"]][1:] == [ARGS[0] + "/followed"], TOP["execs"]
END
}

# Scripts, links, libraries, folders, data that is mapped and read, in their order.
case_profile_says_what_happened() {
	record -- "$disk/link" >"$tmp/out" || fail "$(cat "$tmp/err")"
	"$tool" show --json --all "$profile" >"$tmp/shown"
	json "$tmp/shown" - "$real" <<'END' || fail "the profile does not say what happened"
disk = ARGS[0]
files = {file["path"]: file for file in TOP["files"]}
execs = [point["path"] for point in TOP["execs"]]
assert TOP["program"] == disk + "/script", TOP["program"]
assert execs[0] == disk + "/script" and TOP["execs"][0]["order"] == 0, execs
assert {disk + "/helper", disk + "/start"} <= set(execs), execs
for name, kind in {"link": "symlink", "script": "regular", "start": "regular", "helper": "regular", "data": "regular",
                   "empty": "regular", "folder": "directory", "libone.so.1": "symlink", "libone.so.1.0": "regular",
                   "libthree.so.1": "symlink", "libthree.so.1.0": "regular"}.items():
    assert files.get(disk + "/" + name, {}).get("kind") == kind, (name, kind, files.get(disk + "/" + name))
assert not any(path.startswith(("/proc/", "/sys/", "/dev/")) for path in files), sorted(files)
order = lambda name: files[disk + "/" + name]["order"]
assert order("link") < order("script") < order("helper") < order("start") < order("libone.so.1.0") < order("libthree.so.1.0")
END
}

case_recording_is_stored_with_its_plan() {
	as_user "$tool" record -- "$disk/followed" mapped "$disk/file" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	find "$tmp/home/.local/state/headstart" -name "followed-*.profile" | grep -q . || fail "no profile was stored"
	find "$tmp/home/.local/state/headstart" -name "followed-*.plan" | grep -q . || fail "no plan was made"
	as_user "$others/headstart" run --verbose -- "$disk/followed" mapped "$disk/file" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	! grep -q "no plan" "$tmp/err" || fail "run does not find the plan: $(cat "$tmp/err")"
}

# How much of a file is in memory; its owner is told the truth.
resident() { fincore --bytes --noheadings --output RES "$1" | tr -d ' '; }

opened_file_is_cold() {
	cat "$disk/file" "$disk/data" >/dev/null
	record -- sh -c ": <$disk/file" || fail "$(cat "$tmp/err")"
	[ "$(resident "$disk/file")" -lt 1000000 ] || fail "the opened file was not made cold"
	[ "$(resident "$disk/data")" = 3000000 ] || [ "$(resident "$disk/data")" = 3002368 ] ||
		fail "the page cache of another file was dropped: $(resident "$disk/data")"
	record --no-drop -- sh -c "cat $disk/file >/dev/null; : <$disk/file" || fail "$(cat "$tmp/err")"
	[ "$(resident "$disk/file")" -gt 3000000 ] || fail "--no-drop dropped the file"
}
case_only_the_files_of_the_start_are_made_cold() {
	have fincore || return 0
	cat "$disk/file" >/dev/null
	[ "$(resident "$disk/file")" -gt 0 ] || skip "this file system does not tell what is in memory"
	until_undisturbed opened_file_is_cold
}

# A program of which pages are in use by others cannot be made cold.
case_what_stays_in_memory_is_told() {
	cp "$(command -v sleep)" "$disk/sleeper"
	"$disk/sleeper" 1000 &
	sleeper=$!
	at_case_exit() { kill "$sleeper" 2>/dev/null || :; }
	until [ "$(readlink "/proc/$sleeper/exe")" = "$real/sleeper" ]; do :; done
	record -- "$disk/sleeper" 0 || fail "$(cat "$tmp/err")"
	says "^headstart: [0-9]+ files? could not be made cold, because other programs use (it|them)$"
}

case_milestones() {
	for until in exit:true time:0.2:"sleep 100" mark:"$tool mark; sleep 100" idle:0.3:"cat /dev/null; sleep 100"; do
		command=${until##*:} milestone=${until%:*}
		record --until "$milestone" --kill -- sh -c "$command" || fail "$until: $(cat "$tmp/err")"
		"$tool" show "$profile" | grep -q "ended by: ${milestone%:*}" || fail "$until: $("$tool" show "$profile")"
	done
}

# An X server, say of somebody's, that takes connections and says nothing. It says when whoever asked it is gone: a caller's blocked
# signals keep nobody waiting.
case_display_that_never_answers() {
	[ -d /tmp/.X11-unix ] || skip "no folder of displays"
	/usr/bin/python3 -c 'import os, signal, socket
server, number = socket.socket(socket.AF_UNIX), 700
while os.path.exists(f"/tmp/.X11-unix/X{number}"):
    number += 1
server.bind(f"/tmp/.X11-unix/X{number}")
os.chmod(f"/tmp/.X11-unix/X{number}", 0o777)
server.listen()
print(number, flush=True)
asking, _ = server.accept()
while asking.recv(4096):
    pass
print("gone", flush=True)
signal.pause()' >"$tmp/display" &
	server=$!
	at_case_exit() { kill "$server"; rm -f "/tmp/.X11-unix/X$(head -n 1 "$tmp/display")"; }
	until [ -s "$tmp/display" ]; do kill -0 "$server" || skip "no display can be made"; sleep 0.05; done
	status=0
	DISPLAY=:$(head -n 1 "$tmp/display") as_user timeout --signal=KILL 100 env --block-signal=ALRM "$tool" record --until window -o "$profile" -- true 2>"$tmp/err" || status=$?
	! grep -q "lacks libxcb" "$tmp/err" || skip "this build has no libxcb"
	[ "$status" = 1 ] || fail "it exits $status: $(cat "$tmp/err")"
	says "^headstart: cannot see windows: the X11 display does not answer; use --until idle:3$"
	for _ in $(seq 600); do
		! grep -q gone "$tmp/display" || return 0
		sleep 0.1
	done
	fail "whoever looked for windows waits on"
}

case_command_that_never_ends() {
	record --timeout 0.3 --kill -- sleep 1000 || fail "$(cat "$tmp/err")"
	says "^headstart: ended by the timeout, not by the milestone$"
	"$tool" show "$profile" | grep -q "ended by: timeout" || fail "the timeout is not in the profile"
}

# Not even SIGKILL ends what waits for a server that does not answer, as the command does when it closes a file there.
case_command_that_cannot_be_ended() {
	needs_mounts
	[ -e /dev/fuse ] || skip "no FUSE here"
	: >"$tmp/hanging"
	unshare --mount --propagation private "$HEADSTART_TEST_SOURCE/tests/lib/hanging-fuse.py" "$tmp/hanging" >"$tmp/mounted" 2>"$tmp/err" &
	server=$!
	at_case_exit() { kill -9 "$server" ${recorder:+"$recorder"} 2>/dev/null || :; }
	until grep -q mounted "$tmp/mounted"; do
		kill -0 "$server" 2>/dev/null || skip "no FUSE here: $(cat "$tmp/err")"
		sleep 0.05 # it tells in no other way
	done
	# Whoever has the file open waits when it ends, the recorder too.
	nsenter --mount="/proc/$server/ns/mnt" /usr/bin/python3 -c 'import os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
os.set_inheritable(file, True)
os.execv(sys.argv[2], [*sys.argv[2:], str(file)])' "$tmp/hanging" "$tool" record --backend ptrace --no-drop --until time:0.2 --kill \
		-o "$tmp/hung-profile" -- /usr/bin/python3 -c 'import os, sys; os.close(int(sys.argv[1]))' 2>"$tmp/err" &
	recorder=$!
	tries=0
	until grep -q "^headstart: something that '/usr/bin/python3' has started could not be ended, and goes on$" "$tmp/err"; do
		[ $((tries += 1)) -lt 2400 ] || fail "it waits without end: $(cat "$tmp/err")"
		kill -0 "$recorder" 2>/dev/null || fail "it has ended: $(cat "$tmp/err")"
		sleep 0.05 # it tells in no other way
	done
	kill -9 "$server"
	wait "$recorder" || fail "it fails: $(cat "$tmp/err")"
}

# Our caller may have blocked the signal that wakes us: everything that it starts inherits that.
case_blocked_signals_delay_nothing() {
	rm -f "$profile"
	as_user env --block-signal=ALRM "$tool" record --until time:0.2 --kill -o "$profile" -- sleep 100 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	"$tool" show "$profile" | grep -q "ended by: time" || fail "$("$tool" show "$profile")"
}

# As below nohup(1). The signal is there before the recorder looks at anything else.
case_ignored_signals_end_nothing() {
	for signal in HUP TERM; do
		rm -f "$profile"
		as_user env --ignore-signal=$signal "$tool" record -o "$profile" -- \
			sh -c "kill -$signal \$PPID; cat $disk/empty" 2>"$tmp/err" || fail "$signal: $(cat "$tmp/err")"
		has "$real/empty"
	done
}

# Whoever reads what the recorder writes may be gone when there is something to write.
case_reader_that_has_gone() {
	rm -f "$profile"
	as_user "$tool" record --quiet --json --backend ptrace --until mark -o "$profile" -- sh -c "until [ -e $tmp/closed ]; do sleep 0.05; done
		$tool mark; until [ -e $profile ]; do :; done; cat $disk/empty && : >$tmp/out.d/survived" 2>"$tmp/err" | {
		exec <&-
		: >"$tmp/closed"
	}
	[ -e "$profile" ] || fail "no profile: $(cat "$tmp/err")"
	[ -e "$tmp/out.d/survived" ] || fail "the command was ended: $(cat "$tmp/err")"
	status=0
	record -- sh -c 'kill -PIPE $$' || status=$?
	says "^headstart: 'sh' was ended by signal 13$"
}

# The recorder stays with what it has followed: without it files could no longer be opened there.
case_command_goes_on_after_the_milestone() {
	record --until mark -- sh -c "$tool mark; (sleep 0.3; cat $disk/empty && : >$tmp/out.d/went-on) & exit 0" || fail "$(cat "$tmp/err")"
	[ -e "$tmp/out.d/went-on" ] || fail "what the command has left behind did not go on"
}

case_command_that_fails_or_is_missing() {
	rm -f "$profile"
	refuses 127 "'no-such-program' is not in PATH: give its whole path" as_user "$tool" record -o "$profile" -- no-such-program
	refuses 126 "'/etc/passwd' cannot be run" as_user "$tool" record -o "$profile" -- /etc/passwd
	[ ! -e "$profile" ] || fail "a program that does not exist left a profile"
	record -- "$disk/followed" killed "$disk/file" || fail "$(cat "$tmp/err")"
	says "^headstart: '$disk/followed' was ended by signal 11$"
	has "$real/file" 100
	refuses 1 "was ended by signal 9 (--force keeps it)" as_user "$tool" record --quiet -- sh -c 'kill -9 $$'
	refuses 1 "exited with status 3 (--force keeps it)" as_user "$tool" record --quiet --until mark -- \
		sh -c "(while kill -0 \$\$ 2>/dev/null; do sleep 0.05; done; $tool mark; sleep 0.2) & exit 3"
	printf '\177ELFnonsense' >"$disk/nonsense"
	chmod 755 "$disk/nonsense"
	record -- "$disk/nonsense" >/dev/null 2>&1 || :
	printf '\177ELF' >"$disk/stub" # what execve refuses although it is executable
	dd if="$disk/start" of="$disk/stub" bs=1 count=70 status=none
	chmod 755 "$disk/stub"
	record -- "$disk/stub" >/dev/null 2>&1 || :
}

case_static_program() {
	cc -O1 -static -D_GNU_SOURCE -pthread -o "$disk/static" "$HEADSTART_TEST_SOURCE/tests/record/programs/followed.c" 2>/dev/null ||
		skip "no static libc"
	record -- "$disk/static" unmapped "$disk/file" || fail "$(cat "$tmp/err")"
	has "$real/file" 100
	has "$real/static" 0
	# What it touches before its first call is not known exactly, and that is told.
	for try in 1 2 3 4 5; do
		record --no-drop -- "$disk/static" early "$disk/file" || fail "$(cat "$tmp/err")"
		says "^headstart: up to [0-9]+ pages were mapped only because they lie beside needed ones$"
	done
}

case_program_of_musl() {
	have musl-gcc || return 0
	musl-gcc -O1 -D_GNU_SOURCE -idirafter /usr/include -idirafter "/usr/include/$(cc -dumpmachine)" -o "$disk/musl" \
		"$HEADSTART_TEST_SOURCE/tests/record/programs/followed.c" || fail "musl-gcc"
	record -- "$disk/musl" unmapped "$disk/file" || fail "$(cat "$tmp/err")"
	has "$real/file" 100
	has "$real/musl" 0
}

case_program_of_32_bits() {
	cc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -o "$disk/i386" \
		"$HEADSTART_TEST_SOURCE/tests/record/programs/followed32.c" 2>/dev/null || skip "no compiler for 32-bit programs"
	"$disk/i386" "$disk/file" || skip "32-bit programs do not run here"
	record -- "$disk/i386" "$disk/file" || fail "$(cat "$tmp/err")"
	has "$real/file" 100 200
}

case_program_that_traces() {
	have strace || return 0
	record -- strace -o /dev/null true >/dev/null 2>&1 || :
	says "^headstart: 'strace' uses ptrace itself, which fails while ptrace records it: use --backend trace$"
	"$tool" show "$profile" | grep -q "some programs, or what they read, could not be seen" || fail "the bias is not in the profile"
}

case_program_with_a_ring() {
	status=0
	record -- "$disk/followed" uring "$disk/file" || status=$?
	! grep -q "exited with status 77" "$tmp/err" || skip "no io_uring here"
	says "^headstart: a program uses io_uring: what it read by that is missing$"
}

case_program_that_hides() {
	record -- "$disk/followed" hidden "$disk/file" || fail "$(cat "$tmp/err")"
	says "^headstart: 1 process could not be looked into: what it mapped is missing$"
}

case_program_with_other_rights() {
	[ "$(id -u)" = 0 ] || skip "not root"
	cp "$(command -v id)" "$disk/whoever"
	chmod u+s "$disk/whoever"
	[ "$(as_user "$disk/whoever" -u)" = 0 ] || skip "set-user-ID programs gain no rights here"
	[ "$(record -- "$disk/whoever" -u)" = 65534 ] || fail "it gained rights"
	says "^headstart: '$disk/whoever' is set-user-ID or has capabilities, and ran without them: use --backend trace$"
	has "$real/whoever" 0
}

# As root, the command may change its user and goes on being followed; set-user-ID programs are what they are.
case_program_that_changes_its_user() {
	[ "$(id -u)" = 0 ] || skip "not root"
	$as_nobody true || skip "no other user"
	rm -f "$profile"
	"$tool" record --backend ptrace -o "$profile" -- $as_nobody "$disk/followed" unmapped "$disk/file" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	has "$real/file" 100
	"$tool" record --backend ptrace -o "$profile" --user nobody -- id -un >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	[ "$(cat "$tmp/out")" = nobody ] || fail "not the other user: $(cat "$tmp/out")"
}

# Root that records for a user neither tells of files that the user cannot reach, nor makes them cold.
case_files_of_others_are_no_business_of_a_user() {
	[ "$(id -u)" = 0 ] || skip "not root"
	$as_nobody true || skip "no other user"
	mkdir -p "$disk/closed/project"
	cp "$disk/file" "$disk/closed/project"
	cp "$disk/file" "$disk/closed/secret"
	cp "$disk/file" "$disk/locked"
	cp "$disk/followed" "$disk/closed/program"
	cp "$disk/followed" "$disk/locked-program"
	cp "$disk/file" "$disk/group"
	chmod 700 "$disk/closed" "$disk/locked-program"
	chmod 600 "$disk/locked"
	chgrp 12345 "$disk/group"
	chmod 640 "$disk/group"
	(cd "$disk/closed/project" && exec sleep 1000) & # by whose link in /proc the user cannot get there either
	held=$!
	at_case_exit() { kill "$held" || :; }
	until_undisturbed only_reachable_files
}
resident_together() { [ ! -x /usr/bin/fincore ] || echo "$(resident "$disk/closed/secret") $(resident "$disk/locked")"; }
only_reachable_files() {
	cat "$disk/closed/secret" "$disk/locked" >/dev/null
	cached=$(resident_together)
	"$tool" record --backend ptrace -o "$tmp/root-profile" -- setpriv --reuid 65534 --regid 65534 --groups 12345 -- \
		sh -c ": <$disk/file; for i in closed/secret locked group; do (: <$disk/\$i); done; cd $disk
			(: </proc/$held/cwd/file)
			closed/program pread $disk/file; $disk/locked-program pread $disk/file; true" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	"$tool" show --json --all "$tmp/root-profile" >"$tmp/shown"
	json "$tmp/shown" - "$real" <<'END' || fail "not the files that the user can reach"
names = {file["path"][len(ARGS[0]) + 1:] for file in TOP["files"] if file["path"].startswith(ARGS[0] + "/")}
assert {"file", "group"} <= names, names
assert not names & {"closed", "closed/secret", "locked", "closed/program", "closed/project/file", "locked-program"}, names
END
	[ "$(resident_together)" = "$cached" ] || fail "files of others were made cold: $(resident_together) instead of $cached"
}

# A person types the key for interrupt before the command has begun.
case_interrupt_leaves_the_terminal_as_it_was() {
	[ "$(id -u)" = 0 ] || skip "not root"
	cc -shared -fPIC -D_GNU_SOURCE -o "$tmp/interrupt.so" "$HEADSTART_TEST_SOURCE/tests/record/programs/interrupt.c" -ldl || fail "cc"
	cat >"$tmp/interrupt" <<-'END'
		import pty, signal, subprocess, sys, termios, os
		master, slave = pty.openpty()
		before = termios.tcgetattr(slave)
		signal.signal(signal.SIGINT, signal.SIG_DFL) # whoever started us may ignore it
		def lead(): # a session with this terminal
		    os.setsid()
		    os.close(os.open(os.ttyname(0), os.O_RDWR))
		status = subprocess.run(sys.argv[2:], env={**os.environ, "LD_PRELOAD": sys.argv[1]}, stdin=slave, stdout=slave, stderr=slave,
		                        preexec_fn=lead).returncode
		print(status, "same" if termios.tcgetattr(slave) == before else "changed")
	END
	echo before >"$profile"
	/usr/bin/python3 "$tmp/interrupt" "$tmp/interrupt.so" "$tool" record --backend ptrace --user nobody -o "$profile" -- true >"$tmp/out"
	grep -qx "1 same" "$tmp/out" || fail "status and modes: $(cat "$tmp/out")"
	[ "$(cat "$profile")" = before ] || fail "a recording that was interrupted replaces another"
	rm "$profile"
}

# As some programs leave it. What is written is more than the terminal takes at once, and it is read slowly.
case_terminal_that_does_not_block() {
	[ "$(id -u)" = 0 ] || skip "not root"
	cat >"$tmp/slowly" <<-'END'
		import os, pty, subprocess, sys, time
		master, slave = pty.openpty()
		os.set_blocking(slave, False)
		recorder = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave)
		os.close(slave)
		said = b""
		while True:
		    try:
		        said += os.read(master, 512)
		        time.sleep(0.001)
		    except OSError:
		        break
		print(recorder.wait(), said.count(b"x"), said.count(b"done"))
	END
	timeout 100 /usr/bin/python3 "$tmp/slowly" "$tool" record --quiet --backend ptrace --user nobody -o "$profile" -- \
		sh -c 'head -c 100000 /dev/zero | tr "\0" x; echo; echo done' >"$tmp/out" || fail "it does not end"
	grep -qx "0 100000 1" "$tmp/out" || fail "status and output: $(cat "$tmp/out")"
}

# Who has all groups that there can be has a long status in /proc.
case_program_with_all_groups() {
	[ "$(id -u)" = 0 ] || skip "not root"
	rm -f "$profile"
	"$tool" record --backend ptrace -o "$profile" -- /usr/bin/python3 -c 'import os, sys
os.setgroups(range(2000000000, 2000065536))
os.execv(sys.argv[1], sys.argv[1:])' "$disk/followed" fork "$disk/file" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	! grep -q "exited with status" "$tmp/err" || fail "the program failed: $(cat "$tmp/err")"
	has "$real/file" 100
}

# The recorder must not wait for a file system whose server waits for the recorder.
case_file_systems_that_the_start_serves() {
	[ "$(id -u)" = 0 ] || skip "not root"
	[ -c /dev/fuse ] || skip "no /dev/fuse (modprobe fuse)"
	unshare --mount --propagation private true 2>/dev/null || skip "mount namespaces cannot be made here"
	mkdir -p "$disk/served" "$disk/seen"
	cp "$disk/file" "$disk/followed" "$disk/served"
	cat >"$disk/serve" <<-END
		#!/bin/sh
		"$HEADSTART_TEST_BUILD/tests/prefetch/mirror" "$disk/served" "$disk/seen" "$tmp/mirror.log" keep &
		until mountpoint -q "$disk/seen"; do kill -0 \$! 2>/dev/null || exit 77; sleep 0.01; done
		"$disk/seen/followed" mapped "$disk/seen/file" && "$disk/seen/followed" exec "$disk/seen/file" "$disk/seen/followed" pread "$disk/file"
		cat "$disk/seen/file" >/dev/null && cd "$disk/seen" && ./followed read file
		status=\$?
		cd / && umount --lazy "$disk/seen" # something on the machine may look at it just now
		wait
		exit \$status
	END
	chmod 755 "$disk/serve"
	rm -f "$profile"
	status=0
	# Its end is what is tested: it would wait for ever.
	timeout --signal=KILL 300 unshare --mount --propagation private \
		"$tool" record --backend ptrace --force -o "$profile" -- "$disk/serve" 2>"$tmp/err" || status=$?
	[ "$status" != 77 ] || skip "a FUSE file system cannot be mounted here: $(cat "$tmp/err")"
	[ "$status" = 0 ] || fail "it exits $status: $(cat "$tmp/err")"
	says "^headstart: a program serves a file system \(FUSE\): what it serves is missing$"
	has "$real/file" 100
	"$tool" show --json --all "$profile" | grep -q "\"$real/seen/" && fail "what was served is in the profile"
	true
}

# Nor for a page of memory, if another thread of the program provides it. Only root may have the kernel wait for such a page.
case_memory_that_the_start_serves() {
	[ "$(id -u)" = 0 ] || skip "not root"
	for device in '' /dev/userfaultfd; do
		status=0
		"$disk/followed" served-memory "$disk/file" $device || status=$?
		[ "$status" != 77 ] || { untried "no userfaultfd here $device"; continue; }
		[ "$status" = 0 ] || fail "the program fails: $status"
		rm -f "$profile"
		timeout --signal=KILL 300 "$tool" record --backend ptrace -o "$profile" -- \
			"$disk/followed" served-memory "$disk/file" $device 2>"$tmp/err" || fail "it exits $?: $(cat "$tmp/err")"
		! grep -q "exited with status" "$tmp/err" || fail "the program failed: $(cat "$tmp/err")"
		has "$real/file" 100
	done
}

in_user_namespace() { as_user unshare --user --map-root-user --mount "$@"; }

# As in a container without privileges, whose root is root of a user namespace.
case_root_of_a_user_namespace() {
	in_user_namespace true 2>/dev/null || skip "an ordinary user cannot make a user namespace here"
	rm -f "$profile"
	in_user_namespace "$tool" record -o "$profile" -- "$disk/followed" mapped "$disk/file" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	says "^headstart: recording by ptrace, since trace events need root of the whole machine"
	has "$real/file" 100
}

# A full disk: the old profile stays, or there is none.
case_full_disk() {
	in_user_namespace true 2>/dev/null || skip "an ordinary user cannot make a user namespace here"
	mkdir -p "$tmp/out.d/full"
	chmod 777 "$tmp/out.d/full"
	in_user_namespace sh -c "mount -t tmpfs -o size=64k none $tmp/out.d/full && head -c 65536 /dev/zero >$tmp/out.d/full/much
		$tool record --quiet -o $tmp/out.d/full/profile -- $disk/link; echo \$?; ls $tmp/out.d/full" >"$tmp/out" 2>"$tmp/err" ||
		fail "$(cat "$tmp/err")"
	grep -q "^headstart: cannot write '$tmp/out.d/full/profile': No space left on device$" "$tmp/err" || fail "$(cat "$tmp/err")"
	grep -qx 1 "$tmp/out" && [ "$(tail -n 1 "$tmp/out")" = much ] || fail "something is left: $(cat "$tmp/out")"
}

# A followed program cannot go on without its recorder. SIGTERM reaches it, SIGKILL of the recorder ends it.
case_recorder_that_is_ended() {
	mkfifo "$tmp/out.d/begun" "$tmp/out.d/told"
	chmod 666 "$tmp/out.d/begun" "$tmp/out.d/told"
	rm -f "$profile"
	$as_user "$tool" record -o "$profile" -- sh -c "trap 'echo told >$tmp/out.d/told; exit' TERM; echo \$\$ >$tmp/out.d/begun; while :; do sleep 0.1; done" \
		2>"$tmp/err" &
	recorder=$!
	at_case_exit() { kill -9 "$recorder" 2>/dev/null || :; }
	read -r command <"$tmp/out.d/begun"
	kill "$recorder"
	read -r word <"$tmp/out.d/told"
	! wait "$recorder" || fail "an interrupted recording succeeded"
	says "^headstart: interrupted; no profile was written$"
	[ ! -e "$profile" ] || fail "an interrupted recording left a profile"

	$as_user "$tool" record --quiet -o "$profile" -- sh -c "echo \$\$ >$tmp/out.d/begun; exec sleep 1000" &
	recorder=$!
	read -r command <"$tmp/out.d/begun"
	kill -9 "$recorder"
	wait "$recorder" || :
	while kill -0 "$command" 2>/dev/null && ! grep -q '^State:.*zombie' "/proc/$command/status" 2>/dev/null; do :; done
	[ ! -e "$profile" ] || fail "a killed recording left a profile"
}

# The command keeps its own arguments, input, output, folder and descriptors.
case_command_has_its_own_surroundings() {
	(cd /usr && echo input | record --quiet -- sh -c 'pwd; cat; echo "$0 $1"' a 'b c') >"$tmp/out"
	printf '/usr\ninput\na b c\n' | diff - "$tmp/out" || fail "the command saw something else"
	as_user ls /proc/self/fd >"$tmp/expected"
	record --quiet -- ls /proc/self/fd >"$tmp/out"
	diff "$tmp/expected" "$tmp/out" >&2 || fail "the command inherited descriptors"
}

run_cases
