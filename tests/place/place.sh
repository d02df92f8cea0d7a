#!/bin/sh
# What a start touches is moved together, and back. No byte and no time of a file changes.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/place/place-lib.sh"

at_case_exit() { unmount; rm -rf "${HEADSTART_STATE:?}"/*; }
begin() {
	make_ext4
	make_files
	picture >"$tmp/before"
}

case_touched_files_lie_together_with_the_same_bytes_and_times() {
	begin
	! lie_together || fail "they lay together before"
	place --json --profile "$tmp/start.profile" >"$tmp/out"
	same
	lie_together || fail "they do not lie together: $(filefrag -v "$disk"/lib/small*)"
	json "$tmp/out" - <<-END
		disk, = TOP["disks"]
		assert disk["refusal"] is None, disk
		assert {f["status"] for f in disk["files"]} == {"moved"}, disk
		assert len(disk["files"]) == 26
		assert disk["moved"] == sum(f["moved"] for f in disk["files"]) > 2_000_000
		start, = disk["starts"]
		for part in "without", "planned":
		    assert start[part + "_after"]["seeks"] < start[part + "_before"]["seeks"], start
		assert start["planned_after"]["seconds"] < start["planned_before"]["seconds"]
		assert start["without_after"]["seconds"] <= 1.05 * start["without_before"]["seconds"]
	END
	check_file_system
	same
}

# All bytes of the files are read, twice.
case_times_of_access_stay() {
	begin
	find "$disk" -type f -exec touch -a -d 2020-01-01 {} +
	access_times() { find "$disk" -type f -printf '%p %A+\n' | sort; }
	access_times >"$tmp/times"
	place --profile "$tmp/start.profile" >"$tmp/out"
	access_times | diff "$tmp/times" - || fail "placing has changed times of access"
	"$headstart" place --undo >"$tmp/out"
	access_times | diff "$tmp/times" - || fail "taking back has changed times of access"
}

# The start begins with a program in a folder of root's, where the user can make no area. Who may write to another user's file can
# only read it as everybody does.
case_ordinary_users_place_what_they_may_write_to() {
	begin
	chmod 777 "$disk/lib"
	chmod 666 "$disk"/lib/*
	chmod -R a+rX "$disk" "$tmp"
	mkdir -p "$tmp/state/user"
	chmod 777 "$tmp/state/user"
	picture >"$tmp/before"
	for_others "$headstart" "$HEADSTART_TEST_BUILD/tools/headstart-tool"
	HOME=$tmp/state/user HEADSTART_STATE=$tmp/state/user $as_nobody "$others/headstart" place --device rotational --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err" ||
		fail "it exits $?: $(cat "$tmp/err")"
	grep -q "^moved 25 of 26 files" "$tmp/out" || fail "it says: $(cat "$tmp/out" "$tmp/err")"
	grep -q "bin/program' can be written to by other users alone" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	same
	lie_together || fail "they do not lie together"
	chmod 755 "$disk/lib" # where each file would have its new place
	status=0
	HOME=$tmp/state/user HEADSTART_STATE=$tmp/state/user $as_nobody "$others/headstart" place --undo >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = 1 ] || fail "it exits $status"
	grep -q "small9' stays where it is, because it cannot be moved: Permission denied" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	chmod 777 "$disk/lib"
	HOME=$tmp/state/user HEADSTART_STATE=$tmp/state/user $as_nobody "$others/headstart" place --undo >"$tmp/out" 2>"$tmp/err" ||
		fail "it exits $?: $(cat "$tmp/err")"
	! lie_together || fail "they still lie together"
	same
}

case_a_dry_run_moves_nothing_and_predicts_the_same() {
	begin
	filefrag -v "$disk"/lib/* >"$tmp/layout"
	place --dry-run --json --profile "$tmp/start.profile" >"$tmp/out"
	filefrag -v "$disk"/lib/* | diff "$tmp/layout" - || fail "something was moved"
	same
	[ ! -e "$HEADSTART_STATE/placed" ] || fail "there is a record"
	json "$tmp/out" - <<-END
		assert TOP["dry_run"] is True
		disk, = TOP["disks"]
		assert {f["status"] for f in disk["files"]} == {"would be moved"}
	END
	place --dry-run --profile "$tmp/start.profile" >"$tmp/out"
	grep -q "^would move 26 of 26 files: " "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	refuses 1 "cannot write to standard output: No space left on device" \
		sh -c '"$1" place --device rotational --dry-run --profile "$2" >/dev/full' sh "$headstart" "$tmp/start.profile"
}

case_what_is_placed_is_not_moved_again_but_refreshed() {
	begin
	place --profile "$tmp/start.profile" >"$tmp/out"
	filefrag -v "$disk"/lib/* >"$tmp/layout"
	place --profile "$tmp/start.profile" >"$tmp/out"
	grep -q "^moved 0 of 26 files: 0 B, 26 as they are$" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	filefrag -v "$disk"/lib/* | diff "$tmp/layout" - || fail "something was moved again"
	place --json --profile "$tmp/start.profile" >"$tmp/out" || fail "what lies well is a failure"
	refuses 1 "nothing is placed" env HEADSTART_STATE="$tmp/none" "$headstart" place --refresh
}

# An upgrade replaces a file: it lies elsewhere, and comes into the new area. The program is found by its recording.
case_refresh_places_replaced_files_anew() {
	begin
	to_store
	place "$disk/bin/program" >"$tmp/out"
	cp -p "$disk/lib/small7" "$tmp/small7"
	rm "$disk/lib/small7"
	head -c 3000000 /dev/zero >"$disk/between"
	cp -p "$tmp/small7" "$disk/lib/small7"
	sync -f "$disk"
	picture >"$tmp/before"
	! lie_together || fail "small7 lies where it lay"
	place --refresh >"$tmp/out"
	same
	lie_together || fail "they do not lie together"
	grep -q "^file .*small7$" "$HEADSTART_STATE/placed" || fail "small7 is not in the record"
	[ "$(grep -c "small7$" "$HEADSTART_STATE/placed")" = 1 ] || fail "small7 is there twice"
}

# After placing, the plan is compiled anew: its extents are in the order of the disk.
case_the_plan_follows() {
	begin
	to_store
	cp "$(echo "$HEADSTART_STATE"/program-*.plan)" "$tmp/old.plan"
	"$headstart" show --json "$tmp/old.plan" >"$tmp/old.json"
	place --all-plans >"$tmp/out"
	"$headstart" show --json "$(echo "$HEADSTART_STATE"/program-*.plan)" >"$tmp/new.json"
	json "$tmp/new.json" - "$tmp/old.json" <<-END
		old = json.load(open(ARGS[0]))
		order = lambda plan: [(e["file"], e["page"]) for e in plan["extents"]]
		assert order(TOP) != order(old), "the order is the same"
	END
}

# $tmp/other.profile: another program, whose start reads three of the files.
make_other() {
	cp "$disk/bin/program" "$disk/bin/other"
	{
		echo "program $disk/bin/other"
		order=0
		for name in bin/other lib/small3 lib/small20 lib/small12; do
			echo "file regular $disk/$name"
			echo "range 0 1 $order 1"
			order=$((order + 1))
		done
	} >"$tmp/other"
	"$make_profile" "$tmp/other.profile" <"$tmp/other"
}

# Another program, which is not placed itself, uses three of the files: its plan follows them to their places, and back.
case_plans_of_other_programs_follow() {
	begin
	HEADSTART_CONFIG=$tmp/headstart.conf
	export HEADSTART_CONFIG
	printf '[devices]\n%s = rotational\n' "$(realpath "$disk")" >"$HEADSTART_CONFIG"
	to_store
	make_other
	sync -f "$disk"
	"$headstart" plan "$tmp/other.profile" >"$tmp/out"
	other=$(echo "$HEADSTART_STATE"/other-*.plan)
	cp "$tmp/other.profile" "${other%.plan}.profile"
	on_disk() { for name in small3 small12 small20; do echo "$(first_block "$disk/lib/$name") $name"; done | sort -n | cut -d' ' -f2; }
	follows() { # WHEN
		"$headstart" show --json "$other" >"$tmp/other.json"
		json "$tmp/other.json" - "$1" $(on_disk) <<-END
			read = [TOP["files"][e["file"]]["path"].split("/")[-1] for e in TOP["extents"]]
			assert [name for name in read if name != "other"] == ARGS[1:], (ARGS, read)
		END
	}
	follows "as it was"
	place "$disk/bin/program" >"$tmp/out"
	[ "$(on_disk | head -n 1)" = small20 ] || fail "small20 does not lie before the others"
	follows "placed"
	"$headstart" place --undo >"$tmp/out"
	follows "taken back"
}

# Nothing shows in the plans of users that a file lies elsewhere, so they are told; the plan of a boot is root's.
case_the_plan_of_a_boot_follows_and_users_are_told() {
	begin
	mkdir -p -m 700 "$HEADSTART_STATE/boot"
	sed "s,^program .*,program /," "$tmp/description" | "$make_profile" "$HEADSTART_STATE/boot/profile"
	HEADSTART_CONFIG=$tmp/headstart.conf
	export HEADSTART_CONFIG
	printf '[devices]\n%s = rotational\n' "$(realpath "$disk")" >"$HEADSTART_CONFIG"
	chmod 600 "$HEADSTART_STATE/boot/profile"
	: >"$HEADSTART_STATE/boot/plan" # it is made anew, not at first
	"$headstart" config apply >"$tmp/out" || fail "config apply: $(cat "$tmp/out")"
	grep -qx "plan     of the boot" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	follows() { # WHEN
		"$headstart" show --json "$HEADSTART_STATE/boot/plan" >"$tmp/boot.json" || fail "$1: the plan of a boot is not good"
		json "$tmp/boot.json" - "$1" $(for i in $(seq 24); do echo "$(first_block "$disk/lib/small$i") small$i"; done | sort -n | cut -d' ' -f2) <<-END
			read = [TOP["files"][e["file"]]["path"].split("/")[-1] for e in TOP["extents"]]
			assert [name for name in read if name.startswith("small")] == ARGS[1:], (ARGS, read)
		END
	}
	follows "as it was"
	place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err"
	follows "placed"
	grep -q "plans of other users have the old places until these users type 'headstart config apply'" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	place --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err"
	! grep -q "plans of other users" "$tmp/err" || fail "users are told though nothing was moved"
	"$headstart" place --undo >"$tmp/out" 2>"$tmp/err"
	follows "taken back"
	grep -q "plans of other users" "$tmp/err" || fail "undo says: $(cat "$tmp/err")"
	poke "$HEADSTART_STATE/boot/plan" 8 '\001'
	"$headstart" config apply --older >"$tmp/out" || fail "config apply --older: $(cat "$tmp/out")"
	follows "of an older version"
	[ "$(stat -c %a "$HEADSTART_STATE/boot/plan")" = 600 ] || fail "others can read it"
}

case_undo_gives_each_file_one_piece() {
	begin
	place --profile "$tmp/start.profile" >"$tmp/out"
	"$headstart" place --undo >"$tmp/out"
	grep -q "^gave 26 of 26 files places of their own$" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	same
	for file in "$disk"/lib/*; do
		[ "$(pieces "$file")" = 1 ] || fail "$file lies in pieces"
	done
	[ ! -e "$HEADSTART_STATE/placed" ] || fail "the record is still there"
	check_file_system
	same
	"$headstart" place --undo 2>"$tmp/err" || fail "undo twice"
	grep -q "nothing is placed" "$tmp/err" || fail "undo twice says: $(cat "$tmp/err")"
	"$headstart" place --undo --json >"$tmp/json" 2>"$tmp/err" || fail "undo twice, as JSON"
	json "$tmp/json" 'TOP["files"]' | grep -qx '\[\]' || fail "undo twice, as JSON: $(cat "$tmp/json")"
}

# The common files come first; a second program appends its own, and leaves the others where they are.
case_programs_share_what_they_share() {
	begin
	make_other
	picture >"$tmp/before"
	place --profile "$tmp/start.profile" --profile "$tmp/other.profile" >"$tmp/out"
	same
	last=0
	for name in lib/small20 lib/small12 lib/small3; do
		[ "$(first_block "$disk/$name")" -gt "$last" ] || fail "$name is not where it should be"
		last=$(first_block "$disk/$name")
	done
	for name in bin/program lib/small24 lib/large bin/other; do
		[ "$(first_block "$disk/$name")" -gt "$last" ] || fail "$name, of one program, lies before what both share"
	done
}

case_new_programs_append() {
	begin
	cp "$disk/bin/program" "$disk/bin/other"
	sed '/large$/,$d' "$tmp/description" >"$tmp/first"
	"$make_profile" "$tmp/first.profile" <"$tmp/first"
	picture >"$tmp/before"
	place --profile "$tmp/first.profile" >"$tmp/out"
	filefrag -v "$disk"/lib/small* >"$tmp/layout"
	place --profile "$tmp/start.profile" >"$tmp/out" || fail "it says: $(cat "$tmp/out")"
	filefrag -v "$disk"/lib/small* | diff "$tmp/layout" - || fail "what was placed before has moved"
	same
}

# The profile's paths lead to copies below the image's folder, and these are moved.
case_files_of_an_image_are_placed_below_its_folder() {
	begin
	mkdir -p "$disk/image$disk/lib"
	for i in $(seq 24); do
		head -c 1000000 /dev/zero >"$disk/between$i" # keeps them apart
		cp -p "$disk/lib/small$i" "$disk/image$disk/lib"
		sync "$disk/between$i" "$disk/image$disk/lib/small$i"
	done
	rm "$disk"/between*
	picture >"$tmp/before"
	place --tree "$disk/image" --profile "$tmp/start.profile" >"$tmp/out" 2>"$tmp/err"
	grep -q "^moved 24 of 24 files" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	grep -q "2 recorded files are left out: 0 have changed, 2 are gone" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	same
	! lie_together || fail "the files of this system were moved"
	(disk=$disk/image$disk && lie_together) || fail "the image's files do not lie together"
	[ ! -e "$HEADSTART_STATE/placed" ] || fail "an image's files are in this system's record"
}

case_the_running_system_is_no_image() {
	begin
	place --tree / --profile "$tmp/start.profile" >"$tmp/out"
	grep -q " $disk/lib/small9$" "$HEADSTART_STATE/placed" || fail "what was moved is not in the record"
	"$headstart" place --undo >"$tmp/out" || fail "it cannot be taken back: $(cat "$tmp/out")"
	same
}

case_a_terminal_gets_no_escape_sequence_of_a_path() {
	escape=$(printf '\033')
	disk="$tmp/${escape}]0;owned"
	begin
	/usr/bin/python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' \
		"$headstart" place --dry-run --device rotational --profile "$tmp/start.profile" >"$tmp/out" 2>&1 || fail "it says: $(cat "$tmp/out")"
	! grep -qF "$escape]0;owned" "$tmp/out" || fail "it sent the escape sequence to the terminal"
	grep -qF ']0;owned/bin: ' "$tmp/out" || fail "it does not name the folder: $(cat "$tmp/out")"
	place --dry-run --profile "$tmp/start.profile" >"$tmp/out"
	grep -qF "$disk/bin: " "$tmp/out" || fail "not the very path where no terminal is: $(cat "$tmp/out")"
}

run_cases
