#!/bin/sh
# Where files can share blocks, what a start touches is moved together by that. No byte and no time of a file changes.
#   shares.sh xfs|btrfs
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/place/place-lib.sh"
kind=$1

at_case_exit() {
	unmount
	rm -rf "${HEADSTART_STATE:?}"/*
}
begin() {
	make_other "$kind"
	make_files
	picture >"$tmp/before"
}
same() { picture | diff "$tmp/before" - || fail "files have changed"; }

# How many pages of a file can be moved: on btrfs a last one that is not full stays where it is.
pages_of() {
	case $kind in
	btrfs) echo $(($(stat -c %s "$1") / 4096)) ;;
	*) echo $((($(stat -c %s "$1") + 4095) / 4096)) ;;
	esac
}

# Whether the small files lie one behind the other, in the order of their first touch.
lie_together() {
	at=
	for i in $(seq 24 -1 1); do
		[ -z "$at" ] || [ "$(first_block "$disk/lib/small$i")" = "$at" ] || return 1
		at=$(($(first_block "$disk/lib/small$i") + $(pages_of "$disk/lib/small$i")))
	done
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

case_room_is_given_back_after_failures() {
	begin
	free=$(stat -f -c %f "$disk")
	# The area itself would leave too little.
	head -c $((free * 4096 - 40000000)) /dev/zero >"$disk/full" 2>/dev/null || :
	sync -f "$disk"
	status=0
	place --profile "$tmp/start.profile" >"$tmp/out" 2>&1 || status=$?
	rm "$disk/full"
	same
	case $status in
	0) ;; # the area was smaller than that
	*) grep -q "room\|full\|space" "$tmp/out" || fail "it says: $(cat "$tmp/out")" ;;
	esac
	check_file_system
}

case_what_cannot_share_is_refused_with_a_sentence() {
	case $kind in
	xfs)
		make_other xfs -m reflink=0
		make_files
		refuses 1 "is an XFS whose files cannot share blocks (made with reflink=0)" place --profile "$tmp/start.profile"
		;;
	btrfs)
		make_other btrfs
		make_files
		chattr +C "$disk/lib" 2>/dev/null || {
			untried "no chattr +C"
			return 0
		}
		cp "$disk/lib/small5" "$disk/lib/copy"
		mv "$disk/lib/copy" "$disk/lib/small5"
		sync -f "$disk"
		"$make_profile" "$tmp/start.profile" <"$tmp/description"
		place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" || :
		grep -q "small5' is written in place (chattr +C)" "$tmp/err" || fail "it says: $(cat "$tmp/out" "$tmp/err")"
		;;
	esac
}

run_cases
