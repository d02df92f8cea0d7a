#!/bin/sh
# What cannot be placed is refused with a reason, and nothing changes. Records and profiles may be damaged.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/place/place-lib.sh"

background= # processes of the case
at_case_exit() {
	for process in $background; do
		kill "$process" 2>/dev/null || :
		wait "$process" 2>/dev/null || :
	done
	unmount
	rm -rf "${HEADSTART_STATE:?}"/*
}
begin() { # [OPTION of mkfs.ext4…]
	make_ext4 "$@"
	make_files
	picture >"$tmp/before"
}

refuses_disk() { # WORDS [OPTION]
	refuses 1 "$1" place ${2-} --profile "$tmp/start.profile"
	same
}

# Whether a file was refused for this reason, and the others were moved.
refuses_file() { # NAME WORDS
	place --json --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || fail "it exits $?: $(cat "$tmp/err")"
	grep -qF "'$disk/$1' $2" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	json "$tmp/out" - "$disk/$1" <<-END
		status = {f["path"]: f["status"] for f in TOP["disks"][0]["files"]}
		assert status.pop(ARGS[0]) == "refused", status
		assert "moved" in status.values() and "failed" not in status.values(), status
	END
}

case_disks_without_a_head() {
	begin
	"$headstart" place --device solid --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || fail "nothing to gain is a failure: $?"
	grep -q "which is no hard disk: placing gains nothing there; --force does it all the same" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	same
	[ ! -e "$HEADSTART_STATE/placed" ] || ! grep -q "^file" "$HEADSTART_STATE/placed" || fail "files are in the record"
}

case_other_block_sizes() {
	begin -b 1024
	refuses_disk "has blocks of another size than a page of memory"
	# For programs, too: no file would be moved, and nothing is predicted.
	! place --json --dry-run --profile "$tmp/start.profile" >"$tmp/out" 2>/dev/null || fail "it is no failure"
	json "$tmp/out" - <<-END
		disk, = TOP["disks"]
		assert disk["refusal"] and disk["moved"] == 0, disk
		assert {(f["status"], f["reason"], f["moved"]) for f in disk["files"]} == {("refused", disk["refusal"], 0)}, disk["files"]
		assert all(start[part] is None for start in disk["starts"] for part in start if part != "program"), disk["starts"]
	END
}

case_clusters() {
	begin -O bigalloc -C 16384
	refuses_disk "allocates clusters of several blocks (bigalloc)"
}

case_journalled_data() {
	begin
	unmount
	mount -o loop,data=journal "$tmp/image" "$disk"
	refuses_disk "is mounted with data=journal"
}

# A loss of power between the exchange of a block and its being written would leave old bytes in the file.
case_file_systems_without_a_journal() {
	begin -O ^has_journal
	refuses_disk "has no journal, so a loss of power might damage exchanged blocks there"
}

# What was placed stays there once the journal is gone.
case_undo_without_a_journal() {
	begin
	place --profile "$tmp/start.profile" >"$tmp/out"
	unmount
	tune2fs -O ^has_journal "$tmp/image" >"$tmp/out" 2>"$tmp/err" || skip "tune2fs: $(cat "$tmp/err")"
	mount -o loop "$tmp/image" "$disk"
	filefrag -v "$disk"/lib/* >"$tmp/layout"
	! "$headstart" place --undo >"$tmp/out" 2>"$tmp/err" || fail "files are taken back"
	grep -q "small9' stays where it is: its file system has no journal" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	filefrag -v "$disk"/lib/* | diff "$tmp/layout" - || fail "something was moved"
	same
}

# Where the kernel makes a full commit of exchanged blocks, files can be placed.
case_fast_commits() {
	begin -O fast_commit
	info=/proc/fs/ext4/$(basename "$(findmnt -n -o SOURCE "$disk")")/fc_info
	[ -r "$info" ] || skip "this kernel has no fast commits"
	if grep -q '"Move extents"' "$info"; then
		place --profile "$tmp/start.profile" >"$tmp/out" || fail "it does not work though it could"
		same
	else
		refuses_disk "has the feature fast_commit, and this kernel may lose exchanged blocks there"
	fi
}

# The feature was switched on after files were placed.
case_fast_commits_do_not_take_files_back() {
	begin
	place --profile "$tmp/start.profile" >"$tmp/out"
	unmount
	tune2fs -O fast_commit "$tmp/image" >"$tmp/out" 2>&1 || skip "no tune2fs for that: $(cat "$tmp/out")"
	mount -o loop "$tmp/image" "$disk"
	info=/proc/fs/ext4/$(basename "$(findmnt -n -o SOURCE "$disk")")/fc_info
	[ -r "$info" ] || skip "this kernel has no fast commits"
	if grep -q '"Move extents"' "$info"; then
		"$headstart" place --undo >"$tmp/out" || fail "it does not work though it could"
	else
		! "$headstart" place --undo >"$tmp/out" 2>"$tmp/err" || fail "files are taken back"
		grep -q "small9' stays where it is: its file system has the feature fast_commit" "$tmp/err" ||
			fail "it says: $(cat "$tmp/err")"
	fi
	same
	check_file_system
}

case_read_only() {
	begin
	mount -o remount,ro "$disk"
	refuses_disk "is mounted read-only"
}

case_no_ext4() {
	mkdir -p "$disk"
	mount -t tmpfs none "$disk"
	make_files
	picture >"$tmp/before"
	refuses_disk "is neither ext4 nor XFS"
}

case_files_mapped_block_by_block() {
	begin -O ^extents,^64bit,^metadata_csum
	place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || :
	grep -q "is mapped block by block, as in ext3\|does not let blocks be exchanged\|does not allocate blocks in advance" "$tmp/err" ||
		fail "it says: $(cat "$tmp/err")"
	same
}

case_no_room() {
	begin
	! dd if=/dev/zero of="$disk/full" bs=64k status=none 2>"$tmp/err" || fail "the disk is endless"
	truncate -s -300K "$disk/full"
	sync -f "$disk"
	picture >"$tmp/before"
	refuses_disk "has no room for what is to be moved"
	rm "$disk/full"
}

# What is to be moved fits, but only into the blocks that are reserved for root.
case_no_room_but_that_of_root() {
	begin -m 20
	! dd if=/dev/zero of="$disk/full" bs=64k status=none 2>"$tmp/err" || fail "the disk is endless"
	truncate -s -20M "$disk/full"
	sync -f "$disk"
	picture >"$tmp/before"
	refuses_disk "has no room for what is to be moved"
	truncate -s -70M "$disk/full"
	sync -f "$disk"
	picture >"$tmp/before"
	place --profile "$tmp/start.profile" >"$tmp/out" || fail "it does not work though there is room"
	same
}

case_running_programs() {
	begin
	rm "$disk/lib/small9"
	cp "$(command -v sleep)" "$disk/lib/small9"
	sync -f "$disk"
	"$make_profile" "$tmp/start.profile" <"$tmp/description"
	picture >"$tmp/before"
	"$disk/lib/small9" infinity &
	sleeper=$! background=$!
	until [ "$(readlink "/proc/$sleeper/exe")" = "$disk/lib/small9" ]; do :; done
	place --dry-run --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || fail "a dry run exits $?"
	! grep -q "running program" "$tmp/err" || fail "a dry run opens files for writing"
	refuses_file lib/small9 "is a running program"
	kill "$sleeper"
	wait "$sleeper" 2>/dev/null || :
	same
	place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || [ $? = 1 ]
	! grep -q "running program" "$tmp/err" || fail "it has ended, and is refused: $(cat "$tmp/err")"
	same
}

# While it is open for writing, no program of the machine could be started.
case_the_loader() {
	begin
	interpreter=$(readelf -l "$(command -v sleep)" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	[ -n "$interpreter" ] || skip "sleep has no loader"
	rm "$disk/lib/small9" "$disk/lib/small10"
	cp "$(command -v sleep)" "$disk/lib/small9"
	cp "$interpreter" "$disk/lib/small10"
	sync -f "$disk"
	"$make_profile" "$tmp/start.profile" <"$tmp/description"
	mount --bind "$disk/lib/small10" "$(realpath "$interpreter")"
	picture >"$tmp/before"
	refuses_file lib/small10 "is the loader of programs"
	umount --lazy "$(realpath "$interpreter")" # the test itself runs with it
	same
}

# Makes small10 a loader: make_loader [OPTION of the linker…]. Without an option, small9 becomes a program that needs it.
make_loader() {
	rm "$disk/lib/small9" "$disk/lib/small10"
	echo 'char bytes[30000] = {1};' >"$tmp/loader.c"
	gcc -shared -nostdlib -fPIC "$@" "$tmp/loader.c" -o "$disk/lib/small10"
	gcc -shared -nostdlib -fPIC "$tmp/loader.c" -o "$disk/lib/small9"
	if [ $# = 0 ]; then
		echo 'int main(void) { return 0; }' >"$tmp/program.c"
		gcc "$tmp/program.c" -Wl,--dynamic-linker="$disk/lib/small10" -o "$disk/lib/small9"
	fi
	sync -f "$disk"
	"$make_profile" "$tmp/start.profile" <"$tmp/description"
}

# The program was updated after it was recorded; its loader is the same. musl's may have no name of its own.
case_the_loader_of_a_changed_program() {
	begin
	make_loader
	echo update >>"$disk/lib/small9"
	picture >"$tmp/before"
	refuses_file lib/small10 "is the loader of programs"
	same
}

case_a_loader_of_which_no_program_was_recorded() {
	begin
	make_loader -Wl,-soname,ld-musl-other.so.1
	picture >"$tmp/before"
	refuses_file lib/small10 "is the loader of programs"
	same
}

# A boot loader that reads blocks by a list of their numbers would not find them any more.
case_files_of_boot_loaders() {
	[ -d /boot ] || skip "no /boot"
	begin
	mkdir "$disk/boot"
	head -c 50000 /dev/urandom >"$disk/boot/core.img"
	sync -f "$disk"
	{
		cat "$tmp/description"
		echo "file regular /boot/core.img"
		echo "range 0 12 9000 1"
	} >"$tmp/with-boot"
	picture >"$tmp/before"
	filefrag -v "$disk/boot/core.img" >"$tmp/layout"
	mount --bind "$disk/boot" /boot # in the test's own namespace
	status=0
	"$make_profile" "$tmp/start.profile" <"$tmp/with-boot" && place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || status=$?
	umount --lazy /boot
	[ "$status" = 0 ] || fail "it exits $status: $(cat "$tmp/err")"
	grep -q "^headstart: '/boot/core.img' lies in /boot, where a boot loader may know it by its blocks$" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	grep -q "^moved [1-9].* of 27 files: .* 1 refused$" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	filefrag -v "$disk/boot/core.img" | diff "$tmp/layout" - || fail "it was moved"
	same
}

case_sealed_files() {
	begin
	chattr +i "$disk/lib/small9" || skip "no chattr"
	picture >"$tmp/before"
	refuses_file lib/small9 "is immutable (chattr +i)"
	chattr -i "$disk/lib/small9"
}

case_journalled_files() {
	begin
	unmount
	mount -o loop,nodelalloc "$tmp/image" "$disk" # the kernel demands that
	chattr +j "$disk/lib/small9" || skip "no chattr +j"
	picture >"$tmp/before"
	refuses_file lib/small9 "has its data in the journal"
	same
}

case_inline_files() {
	begin -O inline_data -I 256
	refuses_file bin/program "lies in its inode (inline data)"
	same
}

case_sealed_by_verity() {
	begin -O verity
	# FS_IOC_ENABLE_VERITY with SHA-256 (Documentation/filesystems/fsverity.rst)
	/usr/bin/python3 -c '
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x40806685, struct.pack("<III116x", 1, 1, 4096))' "$disk/lib/small9" 2>"$tmp/err" ||
		skip "no fs-verity here"
	picture >"$tmp/before"
	refuses_file lib/small9 "is sealed by fs-verity"
}

case_files_of_other_users() {
	begin
	chmod -R a+rX "$tmp" "$disk"
	picture >"$tmp/before"
	mkdir -m 777 "$tmp/state/user"
	HEADSTART_STATE=$tmp/state/user
	for_others "$HEADSTART_TEST_BUILD/tools/headstart" "$HEADSTART_TEST_BUILD/tools/headstart-tool"
	$as_nobody "$others/headstart" place --device rotational --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" &&
		fail "an ordinary user places root's files"
	grep -q "can be written to by other users alone" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	same
}

# Another user holds a lock on everything that they can open, and keeps nobody from placing files.
case_locks_of_other_users() {
	begin
	chmod 755 "$tmp" "$HEADSTART_STATE"
	place --dry-run --profile "$tmp/start.profile" >"$tmp/out" # makes what is locked from now on
	mkfifo "$tmp/held"
	$as_nobody /usr/bin/python3 -c '
import fcntl, os, signal, sys
for path in [sys.argv[1]] + [entry.path for entry in os.scandir(sys.argv[1])]:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.flock(file, fcntl.LOCK_EX)
        if not os.path.isdir(path):
            fcntl.lockf(file, fcntl.LOCK_SH)
    except PermissionError:
        pass
print("held", flush=True)
signal.pause()' "$HEADSTART_STATE" >"$tmp/held" 2>"$tmp/err" &
	background=$!
	read -r line <"$tmp/held" || skip "another user cannot enter '$HEADSTART_STATE': $(cat "$tmp/err")"
	place --profile "$tmp/start.profile" >"$tmp/out" || fail "another user has kept it from working"
	[ "$(stat -c %a "$HEADSTART_STATE/placed.lock")" = 600 ] || fail "others may lock the record"
	"$headstart" place --undo >"$tmp/out" || fail "another user has kept it from taking files back"
	same
}

# The running system is no image, whatever it is called.
case_two_at_once() {
	begin
	mkfifo "$tmp/locked"
	/usr/bin/python3 -c '
import fcntl, os, signal, sys
fcntl.lockf(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)
print("locked", flush=True)
signal.pause()' "$HEADSTART_STATE/placed.lock" >"$tmp/locked" &
	background=$!
	read -r line <"$tmp/locked"
	refuses_disk "another 'headstart place' is at work"
	refuses 1 "another 'headstart place' is at work" place --tree / --profile "$tmp/start.profile"
	refuses 1 "another 'headstart place' is at work" "$headstart" place --undo
	same
}

case_changed_files_are_left_out() {
	begin
	echo more >>"$disk/lib/small9"
	rm "$disk/lib/small8"
	picture >"$tmp/before"
	place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err"
	grep -q "2 recorded files are left out: 1 has changed, 1 is gone" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	same
}

# A file that may not be opened is there all the same, and so is one in a folder that may not be entered.
case_files_that_may_not_be_read() {
	begin
	chmod -R a+rX "$tmp" "$disk"
	chmod 600 "$disk/lib/small9" "$disk/lib/small10"
	picture >"$tmp/before"
	mkdir -m 777 "$tmp/state/user"
	HEADSTART_STATE=$tmp/state/user
	for_others "$HEADSTART_TEST_BUILD/tools/headstart" "$HEADSTART_TEST_BUILD/tools/headstart-tool"
	$as_nobody "$others/headstart" place --json --dry-run --device rotational --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || :
	grep -q "2 recorded files are left out: 0 have changed, 0 are gone, 2 cannot be read" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	json "$tmp/out" - 2 <<-'END'
		assert TOP["unreadable"] == int(ARGS[0]) and TOP["gone"] == TOP["changed"] == 0, TOP
	END
	chmod 700 "$disk/lib" "$disk/bin"
	$as_nobody "$others/headstart" place --dry-run --device rotational --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" &&
		fail "files are placed that may not be read"
	grep -q "26 of the recorded files cannot be read, and no other is as it was recorded" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
}

# The file system has free blocks, but what its image is stored on is full: what is moved there would be lost.
case_blocks_that_cannot_be_written() {
	begin_thin ext4 256 noinit_itable,commit=600 -F -b "$(getconf PAGESIZE)"
	# How good its layout is does not matter: --force.
	refuses_disk "does not take what is written to its free blocks" --force
	# Not even the two blocks that are exchanged to try it have room.
	fill_thin
	refuses_disk "does not take what is written to its free blocks" --force
	widen_thin
	same
	place --force --profile "$tmp/start.profile" >"$tmp/out" || fail "it does not work though there is room"
	same
	end_thin
}

# Stops a command when it calls fsync for a file for the nth time, and lets it go on after CHANGE: meanwhile FILE N CHANGE COMMAND…
# What it says is in $tmp/out and $tmp/err.
meanwhile() {
	meanwhile_change=$3
	rm -f "$tmp/trace"
	strace -f -o "$tmp/trace" -P "$1" -e trace=fsync -e "inject=fsync:signal=SIGSTOP:when=$2" \
		sh -c 'shift 3; exec "$@"' sh "$@" >"$tmp/out" 2>"$tmp/err" &
	tracer=$! background=$!
	until grep -qs 'stopped by SIGSTOP' "$tmp/trace"; do
		kill -0 $tracer 2>/dev/null || fail "it was not stopped: $(cat "$tmp/trace" "$tmp/err")"
	done
	$meanwhile_change
	kill -CONT "$(sed -n 's/^\([0-9]*\) .*stopped by SIGSTOP.*/\1/p' "$tmp/trace")"
	wait $tracer || :
	background=
}

append_to_small5() { printf x >>"$disk/lib/small5"; }
replace_small6() { cp -p "$disk/lib/small6" "$disk/lib/new" && mv "$disk/lib/new" "$disk/lib/small6"; }

# Others write to a file, or replace it, while it is moved: what they wrote is there.
case_files_that_change_meanwhile() {
	can_trace || skip "no strace, or it cannot trace here"
	begin
	size=$(stat -c %s "$disk/lib/small5")
	sum=$(sha256sum <"$disk/lib/small5")
	# The first one comes when the file is looked at, the second before it is moved.
	meanwhile "$disk/lib/small5" 2 append_to_small5 "$headstart" place --device rotational --profile "$tmp/start.profile"
	grep -qF "lib/small5' was changed by another process while it was moved" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	grep -q '^moved [1-9].* of 26 files: .* 1 refused$' "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	[ "$(head -c "$size" "$disk/lib/small5" | sha256sum)" = "$sum" ] || fail "what had been written is lost"
	[ "$(tail -c +$((size + 1)) "$disk/lib/small5")" = x ] || fail "what was appended is damaged"
	sum=$(sha256sum <"$disk/lib/small6")
	meanwhile "$disk/lib/small6" 1 replace_small6 "$headstart" place --undo
	grep -qF "lib/small6' was changed by another process while it was moved" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	grep -q '^gave 24 of 26 files places of their own, 1 changed or gone since, 1 still placed$' "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	[ "$(sha256sum <"$disk/lib/small6")" = "$sum" ] || fail "the replaced file has other bytes"
	picture | grep -v "small[56] " >"$tmp/after"
	grep -v "small[56] " "$tmp/before" | diff - "$tmp/after" || fail "other files have changed"
	check_file_system
}

case_damaged_records() {
	begin
	place --profile "$tmp/start.profile" >"$tmp/out"
	good=$tmp/good
	cp "$HEADSTART_STATE/placed" "$good"
	for damage in '1s/1/2/' '$d' 's/^extent /extent -/' 's/^extent [0-9]*/extent 99999999999999999999/' \
		's/^extent \([0-9]*\) [0-9]*/extent \1 0/' 's,^file \(.*\) /,file \1 ,' '2s/^/extent 0 1 1\n/' 's/^program/progran/' \
		'$s/$/\nmore/' 's/^extent [0-9]* /extent 9223372036854775807 /'; do
		sed "$damage" "$good" >"$HEADSTART_STATE/placed"
		refuses 1 "is damaged: remove it to place files without it" place --profile "$tmp/start.profile"
		refuses 1 "is damaged" "$headstart" place --undo
	done
	# Places that nothing lies at, and files that others have now, do no harm.
	sed 's/^\(extent [0-9]* [0-9]*\) .*/\1 4096/; s/^file [0-9]*/file 1/' "$good" >"$HEADSTART_STATE/placed"
	place --profile "$tmp/start.profile" >"$tmp/out" || [ $? = 1 ]
	"$headstart" place --undo >"$tmp/out"
	same
	check_file_system
}

case_damaged_profiles() {
	begin
	damage "$tmp/start.profile" 200
	refuses 1 "is damaged" place --profile "$tmp/start.profile"
	echo nothing >"$tmp/start.profile"
	refuses 1 "is not a headstart profile" place --profile "$tmp/start.profile"
	same
}

case_command_lines() {
	refuses 2 "give PROGRAM, --all-plans, --refresh, --profile P or --undo" "$headstart" place
	refuses 2 "give only one of" "$headstart" place --undo --refresh
	refuses 2 "--undo takes no other option than --json" "$headstart" place --undo --dry-run
	refuses 2 "--tree needs the profile" "$headstart" place --tree / prog
	refuses 2 "unknown class of device 'disk'" "$headstart" place --device disk prog
	refuses 1 "'no-such-program' is not in PATH: give its whole path" "$headstart" place no-such-program
	refuses 1 "nothing is recorded" "$headstart" place --all-plans
	refuses 1 "nothing is placed" "$headstart" place --refresh
}

run_cases
