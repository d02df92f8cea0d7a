#!/bin/sh
# Plans on real file systems: a loop device that first says that it is rotational and then that it is not, tmpfs, overlayfs.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
dump=$HEADSTART_TEST_BUILD/tests/plan/dump-plan
command -v filefrag >/dev/null || skip "filefrag is not installed"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"

make_disk
at_exit() {
	umount "$tmp/merged" 2>/dev/null || :
	umount "$tmp/memory" 2>/dev/null || :
	umount "$tmp/disk" 2>/dev/null || :
}
mkdir "$tmp/memory" "$tmp/merged"
loop=$(findmnt -n -o SOURCE "$tmp/disk")
real=$(realpath "$tmp")
disk=$real/disk
rotational=/sys/block/${loop#/dev/}/queue/rotational
echo 1 >"$rotational" 2>/dev/null && [ "$(cat "$rotational")" = 1 ] || skip "'$rotational' cannot be set"

# Inodes in the order a b c, data in the order c a b, touches in the order b c a.
for name in a b c; do
	: >"$disk/$name"
done
for name in c a b; do
	dd if=/dev/urandom of="$disk/$name" bs=4096 count=64 conv=fsync,notrunc status=none
done
describe() {
	cat <<-EOF_PROFILE
		program $1/b
		file regular $1/b
		range 0 1 0 1
		range 5 1 6 1
		file regular $1/c
		range 0 2 1 1
		file regular $1/a
		range 0 2 4 1
		file directory $1
	EOF_PROFILE
}
describe "$disk" | "$make_profile" "$tmp/disk.profile"

plan() {
	"$headstart" plan -o "$tmp/plan" "$1" >"$tmp/out" || fail "'headstart plan $1' failed"
	"$dump" "$tmp/plan" >"$tmp/dump" || fail "the plan is not good"
}
device() {
	sed -n 's/^device *//p' "$tmp/out"
}
# Prints the physical blocks of the extents, in the plan's order.
places() {
	sed -n 's/^extent //p' "$tmp/dump" | while read -r path page _; do
		filefrag -b4096 -v "$path" | tr -d ':.' | awk -v page="$page" \
			'$1 ~ /^[0-9]+$/ && page >= $2 && page <= $3 {print $4 + page - $2}'
	done
}

# 128 blocks of the disk are fetched together. Each is touched once by one page, in the order of need; then come all pages.
case_lazy_disk_has_each_block_touched_first() {
	printf '%s = lazy\n' "$disk" | sed '1i [devices]' >"$tmp/lazy.conf"
	HEADSTART_CONFIG=$tmp/lazy.conf plan "$tmp/disk.profile"
	[ "$(device)" = lazy ] || fail "'$(device)' instead of lazy"
	places | awk '{print int($1 / 128)}' >"$tmp/blocks"
	sort -u "$tmp/blocks" >"$tmp/distinct"
	head -n "$(wc -l <"$tmp/distinct")" "$tmp/blocks" | sort -u | diff "$tmp/distinct" - || fail "the first extents do not touch each block once: $(cat "$tmp/blocks")"
	[ "$(wc -l <"$tmp/blocks")" -gt "$(wc -l <"$tmp/distinct")" ] || fail "nothing is read but the touches"
	"$headstart" plan --device lazy -o "$tmp/named" "$tmp/disk.profile" >"$tmp/out"
	"$dump" "$tmp/named" | grep '^extent' >"$tmp/named-extents"
	grep '^extent' "$tmp/dump" | diff - "$tmp/named-extents" || fail "--device lazy makes another plan than the setting"
}

case_rotational_disk_gets_physical_order() {
	echo 1 >"$rotational"
	plan "$tmp/disk.profile"
	[ "$(device)" = rotational ] || fail "the loop device turns, and was taken for: $(device)"
	grep -qx 'order physical' "$tmp/dump" || fail "order: $(head -n 1 "$tmp/dump")"
	sed -n 's/^file [a-z]* \([0-9]*\) .*/\1/p' "$tmp/dump" >"$tmp/inodes"
	[ "$(wc -l <"$tmp/inodes")" = 4 ] || fail "not 4 files: $(cat "$tmp/dump")"
	sort -nc "$tmp/inodes" || fail "files are not in inode order: $(cat "$tmp/dump")"
	for inode in $(cat "$tmp/inodes"); do
		path=$(sed -n "s/^file [a-z]* $inode //p" "$tmp/dump")
		[ "$(stat -c %i "$path")" = "$inode" ] || fail "'$path' does not have inode $inode"
	done
	places >"$tmp/places"
	[ "$(wc -l <"$tmp/places")" = 3 ] || fail "not 3 extents with a place: $(cat "$tmp/dump")"
	sort -nc "$tmp/places" || fail "extents are not in physical order: $(cat "$tmp/places" "$tmp/dump")"
	grep -qx "extent $disk/b 0 6 4" "$tmp/dump" || fail "the gap of 4 pages is not read: $(cat "$tmp/dump")"
}

case_solid_disk_gets_touch_order() {
	echo 0 >"$rotational"
	plan "$tmp/disk.profile"
	[ "$(device)" = solid ] || fail "the loop device does not turn, and was taken for: $(device)"
	grep -qx 'order touch' "$tmp/dump" || fail "order: $(head -n 1 "$tmp/dump")"
	sed -n "s,^extent $disk/,,p" "$tmp/dump" | tr '\n' ';' >"$tmp/extents"
	[ "$(cat "$tmp/extents")" = "b 0 1 0;c 0 2 0;a 0 2 0;b 5 1 0;" ] || fail "touch order: $(cat "$tmp/extents")"
}

# There is nothing to read.
case_file_in_memory_is_refused() {
	mount -t tmpfs none "$tmp/memory"
	for name in a b c; do
		cp "$disk/$name" "$tmp/memory/$name"
	done
	describe "$real/memory" | "$make_profile" "$tmp/memory.profile"
	refuses 1 "in memory" "$headstart" plan -o "$tmp/plan2" "$tmp/memory.profile"
}

# the lower layer is on the disk, the upper one in memory; files of the upper one, and the folder itself, are in memory
case_overlayfs_is_planned_by_its_layers() {
	echo 1 >"$rotational"
	mkdir "$tmp/memory/upper" "$tmp/memory/work"
	cp "$disk/a" "$tmp/memory/upper/a"
	layers=lowerdir=$disk,upperdir=$tmp/memory/upper,workdir=$tmp/memory/work
	# xino=on: the files of both layers have one device number
	mount -t overlay none -o "xino=on,$layers" "$tmp/merged" 2>/dev/null || {
		skip "overlayfs cannot be mounted here"
	}
	describe "$real/merged" | "$make_profile" "$tmp/merged.profile"
	plan "$tmp/merged.profile"
	[ "$(device)" = rotational ] || fail "the lower layer turns, and was taken for: $(device)"
	grep -q '2 in memory' "$tmp/out" || fail "the upper layer is in memory: $(cat "$tmp/out")"
	! grep -q "^extent $real/merged/a " "$tmp/dump" || fail "a file in memory is planned: $(cat "$tmp/dump")"
	grep -qx "extent $real/merged/b 0 6 4" "$tmp/dump" || fail "through the overlay: $(cat "$tmp/dump")"
}

run_cases
