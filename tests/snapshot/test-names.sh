#!/bin/sh
# SPDX-License-Identifier: MIT
# A snapshot has the names that a command has looked up, without files that nobody looked at; restore brings them back, in the
# order of levels on a disk with a head. On a disk of its own, where nothing is in memory after it was mounted.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
make_disk
mkdir -p "$disk/tree/a/b" "$disk/tree/c/d" "$disk/tree/never"
for file in a/one a/b/two c/d/three c/d/four never/five; do
	echo "$file" >"$disk/tree/$file"
done
ln -s a/one "$disk/tree/link"

looked_up="a a/b a/b/two a/one c c/d c/d/three link"
look_up() {
	(
		cd "$disk/tree"
		stat $looked_up >/dev/null
		cat c/d/three >/dev/null
	)
}
# Prints what the snapshot names below the tree.
names() {
	"$tool" show --json "$1" >"$tmp/shown"
	json "$tmp/shown" - "$disk/tree/" <<'END'
names = [file["path"].removeprefix(ARGS[0]) for file in TOP["files"]]
print(*sorted(name for name in names if not name.startswith("/")))
END
}
answers() {
	make_disk_cold
	stat "$disk/tree/a/one" >/dev/null
	"$tool" snapshot --json -o "$tmp/s" "$disk" >/dev/null 2>&1
	case $(names "$tmp/s") in *one*) ;; *) skip "the kernel does not tell which names are in memory (Linux 5.12 does)" ;; esac
}
until_undisturbed answers

case_names_that_were_looked_up_come_back() {
	come_back() {
		make_disk_cold
		look_up
		"$tool" snapshot --json -o "$tmp/s" "$disk/tree" >"$tmp/json"
		[ "$(names "$tmp/s")" = "$looked_up" ] || fail "it names: $(names "$tmp/s")"
		json "$tmp/json" - <<'END'
assert (TOP["files"], TOP["links"]) == (3, 1) and TOP["extents"] == 1, TOP
END
		make_disk_cold
		"$headstart" restore --json "$tmp/s" >"$tmp/restored"
		"$tool" snapshot --json -o "$tmp/again" "$disk/tree" >"$tmp/json"
		[ "$(names "$tmp/again")" = "$looked_up" ] || fail "it brought: $(names "$tmp/again")"
	}
	until_undisturbed come_back
}

# Without a PATH, the disk is found among the mounts; its files are in the snapshot beside those of other disks.
case_mounted_disks_are_found() {
	found() {
		make_disk_cold
		look_up
		"$tool" snapshot --json -o "$tmp/s" >"$tmp/json" 2>"$tmp/err"
		[ "$(names "$tmp/s")" = "$looked_up" ] || fail "it names: $(names "$tmp/s")"
		[ "$(json "$tmp/json" 'TOP["folder"]')" = / ] || fail "it is of $(cat "$tmp/json")"
	}
	until_undisturbed found
}

# The kernel's order is checked by the plan: each folder after those above it, and all before the files.
case_folders_come_first_level_by_level() {
	printf '[devices]\n%s = rotational\n' "$disk" >"$tmp/headstart.conf"
	levels() {
		make_disk_cold
		look_up
		HEADSTART_CONFIG="$tmp/headstart.conf" "$tool" snapshot --json -o "$tmp/s" "$disk/tree" >"$tmp/json"
		"$tool" show --json "$tmp/s" >"$tmp/shown"
		json "$tmp/shown" - <<'END'
assert TOP["order"] == "physical", TOP["order"]
kinds = [file["kind"] for file in TOP["files"]]
folders = [file["path"] for file in TOP["files"] if file["kind"] == "directory"]
assert kinds[:len(folders)] == ["directory"] * len(folders), kinds
levels = [path.count("/") for path in folders]
assert levels == sorted(levels) and len(folders) == 5, folders
END
	}
	until_undisturbed levels
}

# A level has more folders than a process may open.
case_large_levels_leave_descriptors_to_others() {
	printf '[devices]\n%s = rotational\n' "$disk" >"$tmp/headstart.conf"
	mkdir "$disk/many"
	for i in $(seq 200); do
		mkdir "$disk/many/$i"
		echo data >"$disk/many/$i/file"
	done
	sync -f "$disk"
	few() {
		cat "$disk"/many/*/file >/dev/null
		HEADSTART_CONFIG="$tmp/headstart.conf" "$tool" snapshot --json -o "$tmp/s" "$disk/many" >"$tmp/json"
		json "$tmp/json" - <<'END'
assert TOP["files"] == 200 and TOP["folders"] >= 201, TOP
END
		(ulimit -n 64 && "$headstart" restore --json "$tmp/s") >"$tmp/restored" || fail "restore exits $?"
		json "$tmp/restored" - <<'END'
assert TOP["unreadable"] == TOP["gone"] == TOP["changed"] == 0 and TOP["opened"] >= 401, TOP
assert TOP["bytes"] == 200 * 5 and TOP["bytes_beyond_memory"] == 0, TOP
END
	}
	until_undisturbed few
	rm -r "$disk/many"
}

# As root, through the recorder: the names and the pages that the command touched, and those of the disk.
case_command_is_recorded_with_its_names() {
	recorded() {
		make_disk_cold
		until "$tool" snapshot --json -o "$tmp/s" --command -- sh -c "cd '$disk/tree' && stat $looked_up && cat c/d/three" \
			>"$tmp/json" 2>"$tmp/err"; do
			grep -q "another recording is running" "$tmp/err" || fail "it ended with an error: $(cat "$tmp/err")"
			sleep 0.1 # it is no child of ours, so wait(2) cannot tell
			make_disk_cold
		done
		[ "$(names "$tmp/s")" = "$looked_up" ] || fail "it names: $(names "$tmp/s")"
		json "$tmp/shown" - "$disk/tree/c/d/three" <<'END'
read = {TOP["files"][extent["file"]]["path"] for extent in TOP["extents"]}
assert ARGS[0] in read, read
END
	}
	take_turn
	"$tool" snapshot -o "$tmp/s" --command -- true >"$tmp/out" 2>"$tmp/err" ||
		! grep -qE "tracefs|tracepoints|refuses trace events|need root of the whole" "$tmp/err" || skip "$(tail -n 1 "$tmp/err")"
	until_undisturbed recorded
	exec 7<&-
	refuses 127 "'no-such-command' is not in PATH: give its whole path" "$tool" snapshot -o "$tmp/none" --command -- no-such-command
	[ ! -e "$tmp/none" ] || fail "something was written"
}

# A file of two names has its pages once.
case_two_names_of_a_file_are_read_once() {
	ln -f "$disk/tree/a/one" "$disk/tree/a/b/alias"
	two() {
		make_disk_cold
		stat "$disk/tree/a/b/alias" >/dev/null
		cat "$disk/tree/a/one" >/dev/null
		"$tool" snapshot --json -o "$tmp/s" "$disk/tree" >"$tmp/json"
		json "$tmp/json" - <<'END'
assert TOP["files"] == 2 and TOP["extents"] == 1, TOP
END
	}
	until_undisturbed two
	rm "$disk/tree/a/b/alias"
}

# Nothing below another mount is in the snapshot of a folder.
case_other_file_systems_below_are_left_out() {
	mkdir "$disk/tree/never/mounted"
	mount -t tmpfs none "$disk/tree/never/mounted"
	at_case_exit() { umount "$disk/tree/never/mounted" 2>/dev/null || :; }
	echo in memory >"$disk/tree/never/mounted/file"
	"$tool" snapshot --json -o "$tmp/s" "$disk/tree" >"$tmp/json"
	! names "$tmp/s" | grep -q mounted || fail "it names: $(names "$tmp/s")"
	umount "$disk/tree/never/mounted"
	rmdir "$disk/tree/never/mounted"
}

run_cases
