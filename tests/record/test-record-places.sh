#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings where names and numbers are harder to find out: overlayfs, a chroot that is no mount point, a pid namespace. Also a
# recording that loses events.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk

# Unmounts what a case has mounted.
mounted=
at_case_exit() { umount $mounted 2>/dev/null || :; }

# On an overlayfs the kernel's events name the lower file system, and the program the upper one.
case_overlayfs_files_are_named_as_the_program_names_them() {
	mkdir "$disk/lower" "$disk/upper" "$disk/work"
	merged=$disk/merged
	mkdir "$merged"
	mount -t overlay overlay -o "lowerdir=$disk/lower,upperdir=$disk/upper,workdir=$disk/work" "$merged" 2>/dev/null ||
		skip "overlayfs cannot be mounted here"
	mounted=$merged
	disk=$merged
	make_programs
	"$HEADSTART_TEST_SOURCE/bench/check-record" --headstart "$tool" --filesystem "$merged" -- "$merged/link" \
		>"$tmp/check" || fail "on overlayfs: $(cat "$tmp/check")"
	cat "$tmp/check"
}

# A root of its own, with everything that the recorder and the command need, and /proc.
case_chroot_that_is_no_mount_point() {
	root=$disk/root
	for program in "$tool" "$(command -v sh)" "$(command -v ls)"; do
		for file in "$program" $(ldd "$program" | grep -o '/[^ ]*'); do
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		done
	done
	mkdir -p "$root/proc" "$root/out"
	shell=$(command -v sh)
	! chroot "$root" "$tool" record -o /out/profile -- "$shell" -c ls 2>"$tmp/err" || fail "recorded without /proc"
	grep -q "/proc is not mounted" "$tmp/err" || fail "did not say that /proc is missing: $(cat "$tmp/err")"
	mount -t proc proc "$root/proc"
	mounted=$root/proc
	chroot "$root" "$tool" record --json -o /out/profile -- "$shell" -c 'ls /out; :' >"$tmp/out"
	grep -q '"milestone":"exit"' "$tmp/out" || fail "in a chroot: $(cat "$tmp/out")"
	# Nothing in the chroot was in use but the recorder, and that holds no page of a file.
	grep -q '"bias":\[\]' "$tmp/out" || fail "the recorder's own pages stayed in the cache: $(cat "$tmp/out")"
	"$tool" show --all "$root/out/profile" >"$tmp/shown"
	grep -q " $(command -v ls)\$" "$tmp/shown" || fail "no exec point of ls: $(cat "$tmp/shown")"
}

# The kernel traces by the numbers of the first pid namespace; here the recorder is process 1.
case_recorder_that_is_process_1() {
	unshare --pid --fork --mount-proc "$tool" record --json -o "$tmp/profile" -- sh -c 'ls / >/dev/null; :' >"$tmp/out"
	grep -q '"milestone":"exit".*"execs":2' "$tmp/out" || fail "in a pid namespace: $(cat "$tmp/out")"
}

# A recorder that does not get to read loses events, and says so.
case_lost_events_are_told() {
	head -c 16M /dev/zero >"$disk/big"
	"$tool" record --json -o "$tmp/profile" -- sh -c "kill -STOP \$PPID
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do dd if=$disk/big of=/dev/null bs=512 2>/dev/null; done
	kill -CONT \$PPID" >"$tmp/out"
	grep -q '"lost"' "$tmp/out" || fail "lost events were not told: $(cat "$tmp/out")"
}

run_cases
