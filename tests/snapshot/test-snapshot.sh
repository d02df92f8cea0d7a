#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart snapshot and restore: what is in memory comes back, and nothing else; what has changed is left out; what is no
# snapshot is refused.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
export HEADSTART_CONFIG="$tmp/headstart.conf"
disk=$(realpath "$disk")
make_files 4
mkdir "$disk/tree" "$disk/tree/sub"
mv "$disk"/f* "$disk/tree/sub"
files=$disk/tree/sub
sync -f "$disk"

# warm FILE…: these of the files are in memory, and the others are not.
warm() {
	evict "$files"/f*
	for file; do
		cat "$files/$file" >/dev/null
	done
}
snapshot() { "$tool" snapshot --json -o "$tmp/snapshot" "$@" >"$tmp/json" 2>"$tmp/err" || fail "snapshot $*: $(cat "$tmp/err")"; }
restore() { "$headstart" restore --json "$@" "$tmp/snapshot" >"$tmp/restored" 2>"$tmp/err" || fail "restore $*: $(cat "$tmp/err")"; }

case_what_was_in_memory_comes_back() {
	comes_back() {
		warm f1 f3
		snapshot "$disk/tree"
		json "$tmp/json" - "$files" <<'END'
assert TOP["folder"] == ARGS[0].rpartition("sub")[0], TOP
assert TOP["bytes"] == 2 * 503808 and TOP["extents"] >= 2, TOP
END
		warm
		restore
		json "$tmp/restored" - <<'END'
assert TOP["dry_run"] is False and TOP["bytes"] == 500001 + 500003, TOP
assert TOP["changed"] == TOP["gone"] == TOP["unreadable"] == TOP["bytes_beyond_memory"] == 0, TOP
assert TOP["bytes_read"] is None or TOP["bytes_read"] >= 1000000, TOP
END
		"$page" came "$files/f1" "$files/f3" >"$tmp/out" || fail "not all has come: $(cat "$tmp/out")"
		"$page" none "$files/f2" >"$tmp/out" || fail "a file has come that was not in memory: $(cat "$tmp/out")"
	}
	until_undisturbed comes_back
	[ "$(stat -c %a "$tmp/snapshot")" = 600 ] || fail "others may read the snapshot"
}

case_part_of_a_file_comes_back_alone() {
	part() {
		warm
		dd if="$files/f2" of=/dev/null bs=4096 skip=50 count=8 iflag=nocache status=none
		evict "$files/f2"
		python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
os.pread(fd, 3 * 4096, 70 * 4096)' "$files/f2"
		snapshot "$files/f2"
		"$tool" show --json "$tmp/snapshot" >"$tmp/shown"
		json "$tmp/shown" - <<'END'
assert [(extent["page"], extent["pages"]) for extent in TOP["extents"]] == [(70, 3)], TOP["extents"]
END
	}
	[ "$(getconf PAGESIZE)" = 4096 ] || skip "pages are not of 4096 bytes"
	until_undisturbed part
}

case_restore_asks_nothing_of_memory_that_is_full() {
	full() {
		warm f1 f2
		snapshot "$files"
		warm
		printf '[budget]\nmemory = 500K\n' >"$HEADSTART_CONFIG"
		restore
		rm "$HEADSTART_CONFIG"
		json "$tmp/restored" - <<'END'
assert 0 < TOP["bytes"] <= 500 << 10 and TOP["bytes"] + TOP["bytes_beyond_memory"] == 1000003, TOP
END
	}
	[ "$(id -u)" = 0 ] || skip "only root's settings count"
	until_undisturbed full
}

case_dry_run_reads_no_data() {
	dry() {
		warm f1 f2
		snapshot "$files"
		warm f2
		restore --dry-run
		json "$tmp/restored" - <<'END'
assert TOP["dry_run"] is True and TOP["bytes"] == 1000003 and TOP["bytes_in_memory"] == 500002, TOP
END
		"$page" none "$files/f1" >"$tmp/out" || fail "--dry-run has read a file: $(cat "$tmp/out")"
		"$headstart" restore --dry-run "$tmp/snapshot" >"$tmp/out" || fail "no text"
		grep -q "^data     1.0 MB, 0.5 MB of it in memory already$" "$tmp/out" || fail "the text is wrong: $(cat "$tmp/out")"
	}
	until_undisturbed dry
}

case_changed_and_missing_files_are_left_out() {
	cp -r "$files" "$disk/changing"
	sync -f "$disk"
	changing() {
		cat "$disk/changing"/* >/dev/null
		snapshot "$disk/changing"
		[ "$(json "$tmp/json" '(TOP["files"], TOP["bytes"])')" = "(4, $((4 * 503808)))" ] || fail "not all of the files: $(cat "$tmp/json")"
	}
	until_undisturbed changing
	echo more >>"$disk/changing/f1"
	rm "$disk/changing/f2"
	rm "$disk/changing/f3"
	ln -s f4 "$disk/changing/f3"
	for how in --dry-run --idle; do
		restore $how
		json "$tmp/restored" - <<'END' || fail "with $how"
assert (TOP["changed"], TOP["gone"], TOP["unreadable"]) == (2, 1, 0), TOP
assert TOP["bytes"] == 500004, TOP
END
	done
	"$headstart" restore "$tmp/snapshot" >"$tmp/out" || fail "no text"
	grep -q "left out: 2 changed, 1 gone, 0 not readable$" "$tmp/out" || fail "not told: $(cat "$tmp/out")"
}

case_nothing_is_left_to_restore() {
	mkdir "$disk/going"
	head -c 8192 /dev/zero >"$disk/going/f1"
	sync -f "$disk"
	cat "$disk/going/f1" >/dev/null
	"$tool" snapshot -o "$tmp/going" "$disk/going" >"$tmp/out" 2>&1 || fail "no snapshot: $(cat "$tmp/out")"
	rm -r "$disk/going"
	refuses 1 "nothing could be read: all of it has changed, is gone, or is not readable" "$headstart" restore "$tmp/going"
	! "$headstart" restore "$tmp/going" >"$tmp/out" 2>/dev/null || fail "status 0"
	! grep -q "in memory already" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
}

case_several_paths_have_their_common_folder() {
	common() { # FOLDER PATH…
		folder=$1
		shift
		cat "$files/f1" >/dev/null
		snapshot "$@"
		[ "$(json "$tmp/json" 'TOP["folder"]')" = "$folder" ] || fail "of $*: $(cat "$tmp/json")"
	}
	mkdir "$disk/tree2"
	until_undisturbed common "$files/" "$files/f1"
	until_undisturbed common "$disk/tree/" "$files/f1" "$disk/tree"
	until_undisturbed common "$disk/" "$disk/tree" "$disk/tree2"
	until_undisturbed common / "$files/f1" /
}

take_one() {
	cat "$files/f1" >/dev/null
	snapshot "$files"
}

case_show_says_that_it_is_a_snapshot() {
	until_undisturbed take_one
	"$tool" show "$tmp/snapshot" >"$tmp/out" || fail "show"
	grep -q "^snapshot of $files/$" "$tmp/out" || fail "not told: $(cat "$tmp/out")"
	! grep -qE "probes|waits|any start" "$tmp/out" || fail "it speaks of a start: $(cat "$tmp/out")"
}

case_page_says_what_to_type_next() {
	told() {
		cat "$files/f1" >/dev/null
		"$tool" snapshot -o "$tmp/it's one" "$files" >"$tmp/out" 2>"$tmp/err" || fail "snapshot: $(cat "$tmp/err")"
	}
	until_undisturbed told
	grep -qF "headstart: to read it back:  headstart restore '$tmp/it'\\''s one'" "$tmp/err" || fail "$(cat "$tmp/err")"
	! awk 'length > 80' "$tmp/out" | grep -v "$tmp\|$disk" || fail "the page is wide"
}

case_files_of_others_are_left_out() {
	[ "$(id -u)" = 0 ] || skip "not root"
	for_others "$tool"
	chmod 755 "$disk" "$disk/tree" "$disk/tree/sub"
	$as_nobody test -r "$files/f1" || skip "'$disk' cannot be reached by an ordinary user"
	cp -r "$files" "$disk/shared"
	chown 65534 "$disk/shared/f1" "$disk/shared/f2"
	chmod 400 "$disk/shared/f3"
	mkdir "$disk/shared/closed"
	cp "$disk/shared/f1" "$disk/shared/closed"
	chmod 700 "$disk/shared/closed"
	install -d -o 65534 "$disk/out"
	sync -f "$disk"
	own() {
		cat "$disk"/shared/f* "$disk/shared/closed/f1" >/dev/null
		$as_nobody "$others/headstart-tool" snapshot --json -o "$disk/out/s" "$disk/shared" >"$tmp/json" || fail "snapshot of others' files"
		"$tool" show --json "$disk/out/s" >"$tmp/shown"
		json "$tmp/json" - <<'END'
assert TOP["bytes"] == 2 * 503808, TOP
assert TOP["left_out"]["hidden"] == 1 and TOP["left_out"]["unreadable"] == 2, TOP
END
		! grep -qE "shared/f3|closed" "$tmp/shown" || fail "it names what the user may not read: $(cat "$tmp/shown")"
	}
	until_undisturbed own
	told() {
		cat "$disk"/shared/f* >/dev/null
		$as_nobody "$others/headstart-tool" snapshot -o "$disk/out/told" "$disk/shared" >/dev/null 2>"$tmp/err" || fail "as a page: $(cat "$tmp/err")"
		grep -qx "headstart: 1 file is left out: only its owner and root may ask which of its pages are in memory" "$tmp/err" ||
			fail "it says: $(cat "$tmp/err")"
	}
	until_undisturbed told
	[ "$(stat -c %a:%u "$disk/out/s")" = 600:65534 ] || fail "others may read it"
}

# files_of_a_user NAME OUT: a copy of the files that belongs to an ordinary user, and a folder that this user can write to.
files_of_a_user() {
	[ "$(id -u)" = 0 ] || skip "not root"
	for_others "$tool"
	chmod 755 "$disk" "$disk/tree" "$disk/tree/sub"
	$as_nobody test -r "$files/f1" || skip "'$disk' cannot be reached by an ordinary user"
	cp -r "$files" "$disk/$1"
	install -d -o 65534 "$disk/$2"
	chown -R 65534 "$disk/$1"
	sync -f "$disk"
}

# Without root: what was not in memory before the command, and nothing else.
case_command_of_a_user_brings_what_is_new() {
	files_of_a_user own written
	new() {
		evict "$disk"/own/f*
		cat "$disk/own/f1" >/dev/null
		$as_nobody "$others/headstart-tool" snapshot --json -o "$disk/written/s" --command -- \
			sh -c "cat '$disk/own/f1' '$disk/own/f2' | wc -c >&2; exit 3" >"$tmp/json" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
		"$tool" show --json "$disk/written/s" >"$tmp/shown"
		json "$tmp/shown" - "$disk/own/f" <<'END'
read = {TOP["files"][extent["file"]]["path"] for extent in TOP["extents"]}
assert ARGS[0] + "2" in read and ARGS[0] + "1" not in read, read
END
		grep -q "'sh' ended with exit status 3" "$tmp/err" || fail "not told how it ended: $(cat "$tmp/err")"
	}
	until_undisturbed new
}

# As services of systemd have them. The kernel then tells less of that folder to everybody.
case_folder_on_which_something_is_mounted_elsewhere() {
	needs_mounts
	mkfifo "$tmp/mounted"
	unshare --mount --propagation private sh -c 'mount --bind /proc "$1" && echo >"$2" && exec sleep 600' sh "$files" "$tmp/mounted" &
	elsewhere=$!
	read line <"$tmp/mounted"
	there() {
		warm f1 f3
		snapshot "$disk/tree"
		json "$tmp/json" - <<'END'
assert TOP["files"] == 4 and TOP["bytes"] >= 1000000, TOP
END
	}
	until_undisturbed there
	kill "$elsewhere"
	wait "$elsewhere" || :
	# What is mounted here is none of it.
	unshare --mount --propagation private sh -c 'mount --bind /proc "$1" && shift && "$@"' sh "$files" \
		"$tool" snapshot --json -o "$tmp/here" "$disk/tree" >"$tmp/json" || fail "with a mount"
	json "$tmp/json" - <<'END'
assert TOP["files"] == 0 and TOP["folders"] <= 2, TOP
END
}

# Neither a shim, nor the launcher, nor the daemon.
case_nothing_reads_ahead_for_a_command_of_a_user() {
	files_of_a_user asked given
	printf 'program /bin/true\nfile regular %s\nrange 0 1 0 1\n' "$disk/asked/f2" | "$make_profile" "$disk/given/profile"
	chown 65534 "$disk/given/profile"
	$as_nobody "$others/headstart-tool" plan -o "$disk/given/plan" "$disk/given/profile" >"$tmp/out" || fail "$(cat "$tmp/out")"
	for_others "$headstart"
	for_others "$prefetch"
	alone() {
		evict "$disk"/asked/f*
		$as_nobody "$others/headstart-tool" snapshot --json -o "$disk/given/s" --command -- \
			sh -c "'$others/headstart' run --plan '$disk/given/plan' -- /bin/true; cat '$disk/asked/f1' >/dev/null" >"$tmp/json" 2>"$tmp/err" ||
			fail "$(cat "$tmp/err")"
		"$tool" show --json "$disk/given/s" >"$tmp/shown"
		json "$tmp/shown" - "$disk/asked/f" <<'END'
read = {TOP["files"][extent["file"]]["path"] for extent in TOP["extents"]}
assert ARGS[0] + "1" in read and ARGS[0] + "2" not in read, read
END
	}
	until_undisturbed alone
}

# What a terminal does at Ctrl-C: the command ends, and the snapshot is written. An exit status of 127 is the command's own.
case_command_that_is_interrupted_leaves_a_snapshot() {
	files_of_a_user seen kept
	cat >"$tmp/interrupt" <<'END'
import os, signal, subprocess, sys
command = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True, start_new_session=True)
for line in command.stderr:
    if line == "ready\n":
        os.killpg(command.pid, signal.SIGINT)
    else:
        sys.stderr.write(line)
sys.exit(command.wait())
END
	interrupted() {
		evict "$disk"/seen/f*
		rm -f "$disk/kept/s"
		/usr/bin/python3 "$tmp/interrupt" $as_nobody "$others/headstart-tool" snapshot --json -o "$disk/kept/s" --command -- \
			sh -c "cat '$disk'/seen/f* >/dev/null; echo ready >&2; exec sleep infinity" >"$tmp/json" 2>"$tmp/err" ||
			fail "no snapshot: $(cat "$tmp/err")"
		grep -q "'sh' ended with exit status 130" "$tmp/err" || fail "not told how it ended: $(cat "$tmp/err")"
		[ -s "$disk/kept/s" ] || fail "no snapshot was written"
		evict "$disk"/seen/f*
		$as_nobody "$others/headstart-tool" snapshot --json -o "$disk/kept/s" --command -- \
			sh -c "cat '$disk'/seen/f* >/dev/null; exit 127" >"$tmp/json" 2>"$tmp/err" || fail "no snapshot: $(cat "$tmp/err")"
		grep -q "'sh' ended with exit status 127" "$tmp/err" || fail "not told how it ended: $(cat "$tmp/err")"
	}
	until_undisturbed interrupted
	refuses 127 "'$disk/none' cannot be run: No such file or directory" \
		$as_nobody "$others/headstart-tool" snapshot -o "$disk/kept/none" --command -- "$disk/none"
	[ ! -e "$disk/kept/none" ] || fail "a snapshot of nothing was written"
}

case_what_is_no_snapshot_is_refused() {
	until_undisturbed take_one
	size=$(stat -c %s "$tmp/snapshot")
	refuses 1 "is not a snapshot" "$headstart" restore "$files/f1"
	: >"$tmp/empty"
	refuses 1 "is not a snapshot" "$headstart" restore "$tmp/empty"
	refuses 1 "No such file" "$headstart" restore "$tmp/none"
	refuses 1 "is not a regular file" "$headstart" restore "$tmp"
	mkfifo "$tmp/fifo"
	refuses 1 "is not a regular file" "$headstart" restore "$tmp/fifo"
	"$plan_of" touch "$files/f1" >"$tmp/plan"
	refuses 1 "is a plan of a program, not a snapshot" "$headstart" restore "$tmp/plan"
	head -c $((size - 5)) "$tmp/snapshot" >"$tmp/short"
	refuses 1 "is truncated" "$headstart" restore "$tmp/short"
	for at in $(seq 0 7 "$size"); do
		[ "$at" -lt "$size" ] || continue
		cp "$tmp/snapshot" "$tmp/poked"
		damage "$tmp/poked" "$at"
		refuses 1 "'$tmp/poked' " "$headstart" restore "$tmp/poked"
	done
}

case_wrong_arguments_are_refused() {
	refuses 2 "give -o FILE" "$tool" snapshot "$files"
	refuses 2 "unknown option '--frob'" "$tool" snapshot --frob
	refuses 2 "no command given" "$tool" snapshot -o "$tmp/s" --command
	refuses 2 "give the FILE of a snapshot" "$headstart" restore
	refuses 2 "give one FILE" "$headstart" restore a b
	refuses 1 "No such file" "$tool" snapshot -o "$tmp/s" "$tmp/none"
	refuses 1 "is neither a file nor a folder" "$tool" snapshot -o "$tmp/s" /dev/null
	[ ! -e "$tmp/s" ] || fail "something was written"
}

# What cannot be written is told before the walk, and what was there stays if there is nothing to write.
case_output_is_written_whole_or_not_at_all() {
	mkfifo "$tmp/pipe"
	refuses 1 "is not a regular file" "$tool" snapshot -o "$tmp/pipe" "$files"
	refuses 1 "cannot write" "$tool" snapshot -o "$tmp/none/s" "$files"
	[ -d /dev/shm ] && [ -w /dev/shm ] || skip "no /dev/shm"
	memory=$(mktemp -d /dev/shm/headstart-test.XXXXXX)
	at_case_exit() { rm -rf "$memory"; }
	echo old >"$tmp/old"
	echo data >"$memory/file"
	status=0
	"$tool" snapshot -o "$tmp/old" "$memory" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = 1 ] || fail "it ended with $status"
	grep -q "lie in memory alone\|lies in memory alone" "$tmp/err" || fail "not told why: $(cat "$tmp/err")"
	[ "$(cat "$tmp/old")" = old ] || fail "what was there is gone"
}

run_cases
