#!/bin/sh
# SPDX-License-Identifier: MIT
# The metadata that a start made a file system read is recorded, planned, and read again before anything is opened: as root, by
# root's plan, of this file system alone.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

FOLDERS=120
plan=$tmp/plan

can_record
make_disk
# An inode and a block of each folder, far from the next: the allocator spreads folders of the first level over the disk.
for i in $(seq "$FOLDERS"); do
	mkdir "$disk/folder$i"
	echo line >"$disk/folder$i/file"
	head -c 65536 /dev/zero >"$disk/folder$i/filler"
	echo "$disk/folder$i/file"
done >"$disk/list"
# A file of so many pieces that its inode has no room for them.
yes line | head -c 65536 >"$disk/pieces"
sync "$disk/pieces"
block=$(stat -fc %S "$disk")
for i in $(seq $((65536 / block / 2 - 1))); do
	fallocate --punch-hole --offset $((2 * i * block)) --length "$block" "$disk/pieces"
done
echo "$disk/pieces" >>"$disk/list"
cat >"$disk/script" <<END
#!/bin/sh
while read file; do read line <\$file; done <$disk/list
END
chmod +x "$disk/script"
id=$(/usr/bin/python3 -c 'import os, sys; print("%016x" % (os.statvfs(sys.argv[1]).f_fsid & (1 << 64) - 1))' "$disk")

# Carries the plan out from cold. Prints how many reads the disk had.
carry_out() { # PLAN [COMMAND…]: in front of the prefetcher
	carried=$1
	shift
	make_disk_cold
	stat=/sys/dev/block/$(mountpoint -d "$disk")/stat
	read -r before rest <"$stat"
	"$@" "${prefetcher:-$prefetch}" --wait --json "$carried" >"$tmp/carried"
	read -r after rest <"$stat"
	echo $((after - before))
}

swept() { json "$tmp/carried" 'TOP["bytes_swept"]'; }

make_disk_cold
"$tool" record --quiet --no-drop -o "$tmp/profile" -- "$disk/script" 2>"$tmp/err" || fail "no recording: $(cat "$tmp/err")"
"$tool" plan --device rotational -o "$plan" "$tmp/profile" >"$tmp/made"
"$tool" plan --device rotational --no-metadata -o "$plan-plain" "$tmp/profile" >"$tmp/made-plain"

case_the_profile_has_the_metadata_of_the_disk() {
	"$tool" show --json "$tmp/profile" >"$tmp/out"
	json "$tmp/out" - "$id" "$FOLDERS" <<-END
		ranges = next(entry["ranges"] for entry in TOP["metadata"] if entry["file_system"] == ARGS[0])
		assert sum(entry["pages"] for entry in ranges) * TOP["page_size"] >= int(ARGS[1]) * 1024, ranges
		assert all(a["page"] + a["pages"] < b["page"] for a, b in zip(ranges, ranges[1:])), ranges
	END
	"$tool" show "$tmp/profile" | grep -q '^  metadata ' || fail "show does not tell"
}

case_where_the_pieces_of_a_file_lie_is_metadata() {
	have debugfs || return 0
	sync -f "$disk"
	tree=$(debugfs -R "ex /pieces" "$tmp/image" 2>/dev/null | awk '$1 == "0/" && $2 > 0 { print $8; exit }')
	[ -n "$tree" ] || fail "the list of the pieces is in the inode: $(debugfs -R "ex /pieces" "$tmp/image" 2>&1)"
	"$tool" show --json "$tmp/profile" >"$tmp/out"
	json "$tmp/out" - "$id" $((tree * block)) <<-'END'
		ranges = next(entry["ranges"] for entry in TOP["metadata"] if entry["file_system"] == ARGS[0])
		page = int(ARGS[1]) // TOP["page_size"]
		assert any(range["page"] <= page < range["page"] + range["pages"] for range in ranges), (page, ranges)
	END
}

case_the_plan_has_it_in_the_order_of_the_disk() {
	grep -q '^metadata ' "$tmp/made" || fail "plan does not tell: $(cat "$tmp/made")"
	"$tool" show --json "$plan" >"$tmp/out"
	json "$tmp/out" - "$id" "$disk" <<-'END'
		entry = next(entry for entry in TOP["metadata"] if entry["file_system"] == ARGS[0])
		assert entry["mounted"] == ARGS[1], entry
		ranges = entry["ranges"]
		assert all(a["page"] + a["pages"] < b["page"] for a, b in zip(ranges, ranges[1:])), ranges
	END
	"$tool" show "$plan" | grep -q "^  metadata .*@$id" || fail "show does not tell"
}

case_a_plan_may_be_without_it() {
	! grep -q '^metadata ' "$tmp/made-plain" || fail "there is metadata: $(cat "$tmp/made-plain")"
	"$tool" show --json "$plan-plain" >"$tmp/out"
	[ "$(json "$tmp/out" 'TOP["metadata"]')" = "[]" ] || fail "there is metadata"
}

# What the kernel looks up afterwards is in memory already.
case_fewer_reads_find_the_files() {
	until_undisturbed fewer_reads
}
fewer_reads() {
	plain=$(carry_out "$plan-plain")
	[ "$(swept)" = 0 ] || fail "read metadata without any in the plan: $(cat "$tmp/carried")"
	opened=$(json "$tmp/carried" 'TOP["opened"]')
	reads=$(carry_out "$plan")
	[ "$(swept)" -ge $((FOLDERS * 1024)) ] || fail "did not read the metadata: $(cat "$tmp/carried")"
	[ "$(json "$tmp/carried" 'TOP["opened"]')" = "$opened" ] || fail "did not open the files: $(cat "$tmp/carried")"
	[ $((reads + FOLDERS / 3)) -lt "$plain" ] || fail "$reads reads with the metadata, $plain without"
	echo "$reads reads with the metadata, $plain without"
}

# The launcher is another program than the prefetcher. Only a plan with pages of an ELF file on the disk shows it that the start is
# cold: libc is in memory.
case_run_reads_it_too() {
	cp "$(command -v cat)" "$disk/cat"
	"$make_profile" "$tmp/cat" <<-END
		program $disk/cat
		file regular $disk/cat
		range 0 4 0 1
		metadata $disk 0 200
	END
	"$tool" plan -o "$plan-cat" "$tmp/cat" >/dev/null
	until_undisturbed run_reads_metadata
}
run_reads_metadata() {
	make_disk_cold
	"$headstart" run --wait done --verbose --plan "$plan-cat" -- "$disk/cat" 2>"$tmp/err"
	grep -q 'MB of metadata' "$tmp/err" || fail "run did not read the metadata: $(cat "$tmp/err")"
}

case_no_more_than_the_memory_budget() {
	make_disk_cold
	"$prefetch" --wait --json --memory-budget 4096 "$plan" >"$tmp/carried"
	[ "$(swept)" -le 4096 ] || fail "read more than the budget: $(cat "$tmp/carried")"
}

case_a_plan_of_another_user_reads_no_disk() {
	cp "$plan" "$tmp/theirs"
	chown 65534 "$tmp/theirs"
	carry_out "$tmp/theirs" >"$tmp/reads"
	[ "$(swept)" = 0 ] || fail "root read the disk by a plan of another user"
}

# Snapshots have metadata as well: where their folders lie.
case_a_snapshot_of_another_user_reads_no_disk() {
	can_trace || skip "no strace"
	cat $(cat "$disk/list") >/dev/null
	"$headstart" snapshot -o "$tmp/snapshot" "$disk" >/dev/null
	strace -f -qq -o "$tmp/trace" "$headstart" restore "$tmp/snapshot" >/dev/null
	grep -q '"/dev/loop' "$tmp/trace" || fail "root's own snapshot does not read the disk either"
	chown 65534 "$tmp/snapshot"
	strace -f -qq -o "$tmp/trace" "$headstart" restore "$tmp/snapshot" >/dev/null
	! grep '"/dev/loop' "$tmp/trace" || fail "root read the disk by a snapshot of another user"
	chown 0 "$tmp/snapshot"
	for mode in 620 602; do
		chmod $mode "$tmp/snapshot"
		strace -f -qq -o "$tmp/trace" "$headstart" restore "$tmp/snapshot" >/dev/null
		! grep '"/dev/loop' "$tmp/trace" || fail "root read the disk by a snapshot that others may write to: mode $mode"
	done
}

case_an_ordinary_user_reads_no_disk() {
	for_others "$prefetch" "$plan"
	prefetcher=$others/headstart-prefetch
	chmod 711 "$tmp"
	carry_out "$others/plan" $as_nobody >"$tmp/reads"
	[ "$(swept)" = 0 ] || fail "an ordinary user read the disk"
}

case_places_beyond_the_disk_do_no_harm() {
	"$make_profile" "$tmp/beyond" <<-END
		program $disk/script
		file regular $disk/script
		range 0 1 0 1
		metadata $disk 4294967290 4
		metadata $disk 16000 100000
	END
	"$tool" plan -o "$plan-beyond" "$tmp/beyond" >/dev/null
	carry_out "$plan-beyond" >"$tmp/reads"
	[ "$(json "$tmp/carried" 'TOP["opened"]')" = 1 ] || fail "did not go on: $(cat "$tmp/carried")"
}

# The last case: the disk is another one afterwards.
case_z_another_file_system_is_not_read() {
	command -v tune2fs >/dev/null || skip "no tune2fs"
	umount "$disk"
	e2fsck -fp "$tmp/image" >/dev/null
	tune2fs -U random "$tmp/image" >/dev/null
	mount -o loop "$tmp/image" "$disk"
	carry_out "$plan" >"$tmp/reads"
	[ "$(swept)" = 0 ] || fail "read the disk of another file system"
	[ "$(json "$tmp/carried" 'TOP["opened"]')" -gt "$FOLDERS" ] || fail "the files are the same: $(cat "$tmp/carried")"
	"$tool" plan --device rotational -o "$plan-moved" "$tmp/profile" >"$tmp/made"
	! "$tool" show --json "$plan-moved" | grep -q "$id" || fail "a plan has metadata of a file system that is not here"
}

run_cases
