#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart boot record: what anybody reads meanwhile is in the plan of the next boot, whoever mounts its disk; what others than root
# can change is not, nor what the prefetcher reads itself.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/boot/boot-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/hanging-lib.sh"
for name in read again planned stranger; do
	head -c 300000 /dev/urandom >"$disk/$name"
done
chown nobody "$disk/stranger"
# Mounts the disk anew, while the recorder runs, and waits until it looks at what is opened there.
mount_anew() {
	make_disk_cold
	number=$(mountpoint -d "$disk")
	number=$(printf 'sdev:%x ' $((${number%:*} << 20 | ${number#*:})))
	until grep -qF "$number" "/proc/$recorder/fdinfo/"* 2>/dev/null; do
		kill -0 "$recorder" 2>/dev/null || fail "the recorder has ended: $(cat "$tmp/log")"
		sleep 0.02
	done
}

# Waits for the end of the recording, and shows what is recorded and planned.
end() {
	await_recorder
	show_recorded
}
show_recorded() {
	"$tool" show --json "$profile" >"$tmp/profile"
	"$tool" show --json "$plan" >"$tmp/plan"
}
stop() {
	"$headstart" boot stop || fail "cannot stop"
	end
}

# planned FILE: it is in the plan. Files of the disk have names that no other file has.
planned() { grep -qF "\"$disk/$1\"" "$tmp/plan"; }
known() { grep -qF "\"$disk/$1\"" "$tmp/profile"; }

case_what_was_read_is_planned() {
	begin
	mount_anew
	cat "$disk/read" "$disk/stranger" >/dev/null
	! "$tool" boot record 2>"$tmp/err" || fail "two recorders at a time"
	says "another process is recording"
	stop
	planned read || fail "what was read is not in the plan: $(cat "$tmp/log")"
	! planned again || fail "a file is planned that nobody has read"
	! known stranger || fail "a file is noted that others than root can change"
	[ "$(stat -c %a "$profile") $(stat -c %a "$plan") $(stat -c %a "${plan%/*}")" = "600 600 700" ] || fail "others may read what boots read"
	until_undisturbed comes
}
comes() {
	make_disk_cold
	only_ours "$headstart" boot prefetch >"$tmp/out" 2>"$tmp/err" || fail "prefetch: $(cat "$tmp/err")"
	"$page" came "$disk/read" >"$tmp/out" || fail "what was read does not come: $(cat "$tmp/out")"
}
# The recording is one of the whole machine. Files of other tests, which are to be cold there, are not seen here.
only_ours() { # COMMAND…
	unshare --mount sh -c '
		for folder in "${0%/*}"/headstart-test.*; do
			[ "$folder" = "$0" ] || mount -t tmpfs tmpfs "$folder" 2>/dev/null || :
		done
		exec "$@"' "$tmp" "$@"
}

# What a session reads that begins when the machine has booted.
case_it_ends_when_little_is_read_any_more() {
	begin
	mount_anew
	"$headstart" boot stop --when-idle || fail "cannot stop"
	sleep 0.5 # it would have ended by now
	cat "$disk/again" >/dev/null
	end
	planned again || fail "what was read soon after is not in the plan: $(cat "$tmp/log")"
	refuses 2 "--when-idle is for 'stop'" "$headstart" boot record --when-idle
}

# Whoever finds its lock may end it, even if it is not ready yet.
case_it_is_stopped_before_it_has_begun() {
	cc -shared -fPIC -D_GNU_SOURCE -o "$tmp/slow.so" "$HEADSTART_TEST_SOURCE/tests/boot/slow.c" || fail "cc"
	for option in "" --when-idle; do
		rm -f "$tmp/go"
		take_turn
		env --default-signal=INT LD_PRELOAD="$tmp/slow.so" SLOW_UNTIL="$tmp/go" "$tool" boot record 2>"$tmp/log" 7>&- &
		recorder=$!
		until "$headstart" boot stop $option 2>"$tmp/err"; do
			kill -0 "$recorder" 2>/dev/null || fail "it has ended: $(cat "$tmp/log")"
			sleep 0.05 # it tells in no other way
		done
		: >"$tmp/go"
		status=0
		wait "$recorder" || status=$?
		recorder=
		exec 7<&-
		[ "$status" = 0 ] || grep -q "nothing was read meanwhile" "$tmp/log" || fail "it ends with status $status: $(cat "$tmp/log")"
	done
}

case_boots_are_merged() {
	begin
	mount_anew
	cat "$disk/read" >/dev/null
	stop
	begin
	mount_anew
	cat "$disk/again" >/dev/null
	stop
	planned read || fail "what only the boot before has read is no longer planned"
	planned again || fail "what this boot has read is not planned"
}

case_what_is_read_ahead_was_not_read() {
	mkdir -p "${plan%/*}"
	plan_it() {
		cat "$disk/planned" >/dev/null
		"$tool" snapshot -o "$plan" "$disk/planned" >"$tmp/out" 2>&1 || fail "snapshot: $(cat "$tmp/out")"
	}
	until_undisturbed plan_it
	make_disk_cold
	begin
	cat "$disk/read" >/dev/null
	# A prefetcher that begins first; the recorder looks for it when it begins, so its openings count here, and its reads do not.
	prefetch_boot
	stop
	planned read || fail "what was read is not in the plan"
	[ "$(/usr/bin/python3 -c '
import json, sys
print(sum(range["pages"] for file in json.load(open(sys.argv[1]))["files"] if file["path"] == sys.argv[2] for range in file.get("ranges", [])))' \
		"$tmp/profile" "$disk/planned")" = 0 ] || fail "what the prefetcher read counts as read by others"
}

# systemd ends services when the machine shuts down.
case_a_boot_that_is_broken_off_teaches_nothing() {
	rm -rf "$HEADSTART_STATE/boot"
	begin
	cat "$disk/read" >/dev/null
	kill -TERM "$recorder"
	await_recorder
	[ ! -e "$HEADSTART_STATE/boot" ] || fail "it is kept: $(ls "$HEADSTART_STATE/boot")"
	grep -q "ended before the machine had booted" "$tmp/log" || fail "it says: $(cat "$tmp/log")"
}

# The kernel would open what others open there, and wait for the server.
case_no_server_is_asked() {
	mkdir -p "$tmp/hanging" "$disk/folder"
	echo text >"$disk/folder/inner"
	mount_hanging "$tmp/hanging"
	number=$(awk -v point="$tmp/hanging" '$5 == point { print $3 }' /proc/self/mountinfo)
	number=$(printf 'sdev:%x ' $((${number%:*} << 20 | ${number#*:})))
	begin
	! grep -qF "$number" "/proc/$recorder/fdinfo/"* || fail "it is to hear of what is opened there"
	cat "$disk/read" >/dev/null
	# Elsewhere something else is mounted there: its name leads to the server only here.
	unshare --mount sh -c 'mount --bind "$1" "$2" && cat "$2/inner"' sh "$disk/folder" "$tmp/hanging" >/dev/null 7>&- || fail "nothing can be mounted elsewhere"
	stop
	end_hanging
}

# systemd opens each mount point before it mounts there. What covers it later is not that folder, and is not asked what it is.
case_no_server_is_asked_that_covers_what_was_opened() {
	mkdir -p "$disk/covered"
	begin
	ls "$disk/covered" >/dev/null
	slept=$(times_slept)
	until [ "$(times_slept)" -gt $((slept + 20)) ]; do # it looks at what was opened each time
		kill -0 "$recorder" 2>/dev/null || fail "the recorder has ended: $(cat "$tmp/log")"
		sleep 0.05
	done
	mount_hanging "$disk/covered"
	cat "$disk/read" >/dev/null
	"$headstart" boot stop || fail "cannot stop"
	while kill -0 "$recorder" 2>/dev/null; do
		! grep -q request_wait_answer "/proc/$recorder/wchan" 2>/dev/null || {
			end_hanging
			fail "the recorder waits for the server"
		}
		sleep 0.05
	done
	end
	end_hanging
	umount -l "$disk/covered"
}
times_slept() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$recorder/status"; }

# Its disk is there, but another boot would have to wait for it.
case_what_an_automounter_mounts_is_not_planned() {
	rm -rf "$HEADSTART_STATE/boot"
	mkdir -p "$tmp/automount"
	/usr/bin/python3 - "$tmp/automount" 2>"$tmp/err" <<'END' || skip "no autofs here: $(cat "$tmp/err")"
import ctypes, os, sys
_, pipe = os.pipe()
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={pipe},pgrp={os.getpgrp()},minproto=5,maxproto=5,direct"
if libc.mount(b"test", sys.argv[1].encode(), b"autofs", 0, options.encode()) < 0:
    raise OSError(ctypes.get_errno(), "mount")
END
	begin
	mount_anew
	mount --bind "$disk" "$tmp/automount"
	cat "$disk/read" "$tmp/automount/again" >/dev/null
	umount -l "$tmp/automount" # the recorder may have an opened file still
	stop
	planned read || fail "what was read is not in the plan"
	! grep -q "$tmp/automount" "$tmp/plan" || fail "it names what an automounter has mounted"
	umount -l "$tmp/automount"
}

case_the_first_program_counts_itself() {
	rm -rf "$HEADSTART_STATE"
	begin --first
	"$headstart" boot stop || fail "cannot stop"
	! wait "$recorder" || fail "it succeeds without a folder to write to"
	recorder=
	exec 7<&-
	grep -q "its folder is not there, or not mounted" "$tmp/log" || fail "it says: $(cat "$tmp/log")"
	[ ! -e "$HEADSTART_STATE" ] || fail "it makes the folder, which may have to be mounted first"
	mkdir "$HEADSTART_STATE"
	begin --first
	mount_anew
	cat "$disk/read" >/dev/null
	stop
	planned read || fail "what was read is not in the plan"
	grep -q '/libtraceevent[.]so' "$tmp/plan" || fail "what the recorder itself needs is not in the plan"
	refuses 2 "--first is for 'record'" "$headstart" boot stop --first
}

case_it_ends_by_itself() {
	begin --timeout 0.5
	end
	grep -q timeout "$tmp/profile" || fail "it does not say that it was ended: $(head -c 400 "$tmp/profile")"
}

case_a_killed_recorder_leaves_nothing_that_matters() {
	begin
	kill -KILL "$recorder"
	wait "$recorder" || :
	recorder=
	! "$headstart" boot stop 2>"$tmp/err" || fail "stopped a dead recorder"
	says "no boot is being recorded"
	begin_in_turn # all recorders of boots have the same instance, also those of other clones
	mount_anew
	cat "$disk/read" >/dev/null
	"$headstart" boot stop || fail "cannot stop"
	await_in_turn
	mkdir "$tmp/tracefs"
	mount -t tracefs tracefs "$tmp/tracefs" || fail "no tracefs"
	left=$(ls "$tmp/tracefs/instances")
	umount "$tmp/tracefs"
	exec 7<&-
	! printf '%s\n' "$left" | grep -qx headstart-boot || fail "the instance of a recorder is left"
	show_recorded
	planned read || fail "what was read is not in the plan"
}

# The disk of settings of a cloud's machine: whoever reads it unmounts it at once, while the recorder may have no time.
case_a_passing_disk_can_be_unmounted_at_once() {
	passing=/run/headstart-test.$$
	truncate -s 32M "$tmp/image-passing"
	mkfs.ext4 -q -F "$tmp/image-passing"
	mkdir "$passing"
	begin
	mount -o loop "$tmp/image-passing" "$passing" || fail "cannot mount"
	cp /bin/true "$passing/settings"
	mount_anew # so the recorder has looked at what is mounted
	kill -STOP "$recorder"
	cat "$passing/settings" "$disk/read" >/dev/null
	said=$(umount "$passing" 2>&1) || said="it stays: $said"
	kill -CONT "$recorder"
	umount -l "$passing" 2>/dev/null || :
	rmdir "$passing"
	[ -z "$said" ] || fail "$said"
	stop
	planned read || fail "what was read elsewhere is not in the plan"
}

# A container that has ended, and its disk: whoever wants to remove it must not wait for the end of the recording.
case_no_disk_of_others_is_held() {
	truncate -s 32M "$tmp/image-inside"
	mkfs.ext4 -q -F "$tmp/image-inside"
	mkdir "$tmp/inside"
	begin
	for round in 1 2 3; do
		unshare --mount sh -c "mount -o loop '$tmp/image-inside' '$tmp/inside' && cp /bin/true '$tmp/inside/program' && '$tmp/inside/program'" 7>&- ||
			fail "nothing can be mounted in a namespace of its own"
	done
	for try in $(seq 200); do
		losetup -a | grep -q "$tmp/image-inside" || break
		kill -0 "$recorder" 2>/dev/null || fail "the recorder has ended: $(cat "$tmp/log")"
		sleep 0.05
	done
	[ "$try" != 200 ] || fail "the disk is held: $(losetup -a)"
	cat "$disk/read" >/dev/null
	stop
}

case_only_root_records() {
	for_others "$tool"
	! $as_nobody "$others/headstart-tool" boot record 2>"$tmp/err" || fail "nobody recorded a boot"
	says "only root"
	! $as_nobody "$others/headstart-tool" boot stop 2>"$tmp/err" || fail "nobody stopped a recording"
	says "only root"
}
run_cases
