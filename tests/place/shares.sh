#!/bin/sh
# On XFS, where files can share blocks, what a start touches is moved together by that. No byte and no time of a file changes.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/place/place-lib.sh"

sleeper=
at_case_exit() {
	[ -z "$sleeper" ] || kill "$sleeper" 2>/dev/null || :
	unmount
	rm -rf "${HEADSTART_STATE:?}"/*
}
begin() {
	make_other xfs
	make_files
	picture >"$tmp/before"
}

case_touched_files_lie_together_and_are_taken_back() {
	begin
	! lie_together || fail "they lay together before"
	place --json --profile "$tmp/start.profile" >"$tmp/out" || fail "it exits $?: $(cat "$tmp/out")"
	same
	lie_together || fail "they do not lie together: $(filefrag -v "$disk"/lib/small*)"
	json "$tmp/out" - <<-END
		disk, = TOP["disks"]
		assert disk["refusal"] is None, disk
		assert {f["status"] for f in disk["files"]} <= {"moved", "stays"}, disk
		start, = disk["starts"]
		assert start["planned_after"]["seconds"] < start["planned_before"]["seconds"]
	END
	check_file_system
	same
	# What lies well is not moved again.
	place --json --profile "$tmp/start.profile" >"$tmp/out"
	json "$tmp/out" 'TOP["disks"][0]["moved"]' | grep -qx 0 || fail "something was moved again: $(cat "$tmp/out")"
	"$headstart" place --undo >"$tmp/out" 2>&1 || fail "undo: $(cat "$tmp/out")"
	same
	! lie_together || fail "they lie together still"
	[ ! -e "$HEADSTART_STATE/placed" ] || fail "the record stays: $(cat "$HEADSTART_STATE/placed")"
	check_file_system
	same
}

# Nothing is opened for writing.
case_running_programs_are_moved() {
	begin
	cp /bin/sleep "$disk/lib/small3"
	chmod 755 "$disk/lib/small3"
	sync -f "$disk"
	picture >"$tmp/before"
	"$make_profile" "$tmp/start.profile" <"$tmp/description"
	"$disk/lib/small3" 1000 &
	sleeper=$!
	for try in $(seq 400); do
		[ "$(readlink "/proc/$sleeper/exe")" != "$disk/lib/small3" ] || break
		sleep 0.05
	done
	[ "$try" != 400 ] || fail "the program does not run"
	place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || fail "it exits $?: $(cat "$tmp/out" "$tmp/err")"
	kill "$sleeper"
	wait "$sleeper" || :
	same
	lie_together || fail "they do not lie together: $(cat "$tmp/out" "$tmp/err")"
}

used_kib() {
	sync -f "$disk"
	df --output=used -k "$disk" | tail -n 1
}

# What the files had before is free again, and nothing of the area is left.
case_moved_files_take_no_more_room() {
	begin
	before=$(used_kib)
	place --profile "$tmp/start.profile" >"$tmp/out" 2>&1 || fail "it exits $?: $(cat "$tmp/out")"
	make_disk_cold
	[ "$(used_kib)" -le $((before + 1024)) ] || fail "$(used_kib) KiB are used, and $before were"
	"$headstart" place --undo >"$tmp/out" 2>&1 || fail "undo: $(cat "$tmp/out")"
	make_disk_cold
	[ "$(used_kib)" -le $((before + 1024)) ] || fail "after undo $(used_kib) KiB are used, and $before were"
}

case_no_room_is_said() {
	begin
	dd if=/dev/zero of="$disk/full" bs=1M conv=fsync 2>/dev/null || : # until the disk is full
	refuses_or_fails=0
	place --profile "$tmp/start.profile" >"$tmp/out" 2>&1 || refuses_or_fails=$?
	[ "$refuses_or_fails" = 1 ] || fail "it exits $refuses_or_fails: $(cat "$tmp/out")"
	grep -q "has no room for what is to be moved\|is full\|there is no room for its copy" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	rm "$disk/full"
	same
	check_file_system
}

# The file system has free blocks, but what its image is stored on is full: not even what is shared to try it can be written.
case_blocks_that_cannot_be_written() {
	begin_thin xfs 512 defaults -f
	fill_thin
	refuses 1 "does not take what is written to its free blocks" place --force --profile "$tmp/start.profile"
	widen_thin
	same
	place --force --profile "$tmp/start.profile" >"$tmp/out" 2>&1 || fail "it does not work though there is room: $(cat "$tmp/out")"
	same
	end_thin
}

# A snapshot of a file keeps what it has.
case_other_files_with_the_same_blocks_stay_as_they_are() {
	begin
	cp --reflink=always "$disk/lib/small9" "$disk/lib/twin"
	sync -f "$disk"
	picture >"$tmp/before"
	filefrag -v "$disk/lib/twin" | grep -v "^File\|flags" >"$tmp/twin"
	place --profile "$tmp/start.profile" >"$tmp/out" 2>&1 || fail "it exits $?: $(cat "$tmp/out")"
	same
	lie_together || fail "they do not lie together"
	[ "$(first_block "$disk/lib/twin")" != "$(first_block "$disk/lib/small9")" ] || fail "the twin was moved"
}

case_files_that_cannot_share_are_refused() {
	make_other xfs -m reflink=0
	make_files
	refuses 1 "is an XFS whose files cannot share blocks (made with reflink=0)" place --profile "$tmp/start.profile"
}

case_btrfs_is_refused() {
	make_other btrfs
	make_files
	refuses 1 "is a btrfs; files can be placed on ext4 and XFS only" place --profile "$tmp/start.profile"
}

run_cases
