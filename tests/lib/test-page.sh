#!/bin/sh
# The helper `page` tells what is in the page cache, of large files too.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
disk=$(disk_folder)
at_exit() { rm -rf "$disk"; }

# Runs a command while all pages of $disk/large are mapped. Such pages stay, whoever empties the page cache.
while_mapped() {
	/usr/bin/python3 -c '
import mmap, subprocess, sys
with open(sys.argv[1], "rb") as file:
    pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
for at in range(0, len(pages), 4096):
    pages[at]
sys.exit(subprocess.run(sys.argv[2:]).returncode)' "$disk/large" "$@"
}
made() { head -c $((40 << 20 | 5)) /dev/zero >"$disk/large"; }

case_mapped_pages_are_not_taken_for_dropped() {
	made
	status=0
	while_mapped "$page" out "$disk/large" || status=$?
	[ "$status" != 77 ] || skip "no file system here tells whether a page is resident"
	[ "$status" = 1 ] || fail "pages that cannot be dropped count as dropped: exit status $status"
}

case_all_of_a_large_file_counts() {
	made
	while_mapped "$page" came "$disk/large" >"$tmp/came" || fail "not all of it counts: $(cat "$tmp/came")"
	[ "$(cat "$tmp/came")" = $((40 << 20 | 5)) ] || fail "it counts $(cat "$tmp/came") bytes"
}

# A file of which a part has come has neither come nor stayed away.
case_a_part_is_neither_all_nor_none() {
	made
	"$page" out "$disk/large" || skip "no file system here tells whether a page is resident"
	"$page" none "$disk/large" >"$tmp/none" || fail "what was dropped has come: $(cat "$tmp/none")"
	dd if="$disk/large" of=/dev/null bs=4096 count=8 status=none
	for what in came none probed; do
		status=0
		"$page" $what "$disk/large" >"$tmp/out" || status=$?
		[ "$status" = 1 ] && [ "$(cat "$tmp/out")" -ge $((8 * 4096)) ] || fail "'$what' exits $status: $(cat "$tmp/out")"
	done
}

case_a_file_that_cannot_be_looked_at_is_an_error() {
	mkdir "$disk/folder"
	status=0
	"$page" none "$disk/folder" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = 2 ] || fail "exit status $status"
}

run_cases
