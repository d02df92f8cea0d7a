#!/bin/sh
# SPDX-License-Identifier: MIT
# The prefetcher where a pids cgroup permits few processes. With room for fewer than 32 it does nothing, and the launcher starts
# none. With more room, the ring's workers, which count as tasks, never take so much that anybody's fork fails.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
plan_of=$HEADSTART_TEST_BUILD/tests/prefetch/plan-of
few=20 enough=48 plenty=400
files=200

group=
for place in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/pids; do
	group=$place/headstart-test.$$
	mkdir "$group" 2>/dev/null && [ -e "$group/pids.max" ] && break
	rmdir "$group" 2>/dev/null || :
	group=
done
make_disk
at_exit() {
	umount "$disk" 2>/dev/null || :
	[ -z "$group" ] || rmdir "$group"
}
[ -n "$group" ] || skip "no cgroup with a limit on processes can be made here"

# Runs a command in the cgroup, which permits this many tasks.
limited() { # TASKS COMMAND…
	echo "$1" >"$group/pids.max"
	shift
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" "$@"
}
refused() { sed -n 's/^max //p' "$group/pids.events"; }

# A disk with a folder for each file, so that each cold open waits for its own.
for i in $(seq $files); do
	mkdir -p "$disk/$i/folder"
	head -c 8000 /dev/zero >"$disk/$i/folder/file"
done
"$plan_of" touch "$disk"/*/folder/file >"$tmp/plan"

"$make_profile" "$tmp/profile" <<-END
	program $disk/1/folder/file
	file regular $disk/1/folder/file
	range 0 2 0 1
END
"$HEADSTART_TEST_BUILD/tools/headstart-tool" plan -o "$tmp/probed" "$tmp/profile" >"$tmp/out"

# There is too little room: nothing is read, and only a user who called the prefetcher by hand is told.
case_prefetcher_with_too_little_room_reads_nothing() {
	make_disk_cold
	limited $few "$prefetch" --json "$tmp/plan" >"$tmp/out" 2>"$tmp/err" || fail "too little room is an error"
	[ ! -s "$tmp/out" ] || fail "with too little room it did something: $(cat "$tmp/out")"
	grep -q "fewer than 32 more processes" "$tmp/err" || fail "nobody was told why: $(cat "$tmp/err")"
	limited $few "$prefetch" --json --fd 3 3<"$tmp/plan" >"$tmp/out" 2>&1 || fail "too little room is an error, by --fd"
	[ ! -s "$tmp/out" ] || fail "with too little room, by --fd, it did or said something: $(cat "$tmp/out")"
}

case_launcher_with_too_little_room_starts_no_prefetcher() {
	make_disk_cold
	limited $few "$headstart" run --verbose --plan "$tmp/probed" true 2>"$tmp/err" || fail "the launcher's program did not run"
	grep -q "without prefetching: fewer than 32 more processes can be started" "$tmp/err" || fail "the launcher: $(cat "$tmp/err")"
}

# There is room, and the prefetcher takes no more than that.
case_prefetcher_takes_no_more_room_than_there_is() {
	for limit in $enough $plenty; do
		make_disk_cold
		before=$(refused)
		limited $limit "$prefetch" --json "$tmp/plan" >"$tmp/out" || fail "it failed with room for $limit"
		grep -q '"engine": "uring"' "$tmp/out" || skip "no io_uring here: $(cat "$tmp/out")"
		grep -q "\"opened\": $files," "$tmp/out" || fail "with room for $limit it did not open all: $(cat "$tmp/out")"
		[ "$(refused)" = "$before" ] || fail "with room for $limit it ran into the limit"
		[ ! -e "$group/pids.peak" ] || echo "room for $limit: $(cat "$group/pids.peak") tasks at most"
	done
}

run_cases
