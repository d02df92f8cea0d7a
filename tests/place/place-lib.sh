# Shared by tests of 'headstart place'. Source it after sh-lib.sh and disk-lib.sh; the disk is an ext4 of its own.

HEADSTART_STATE=$tmp/state
export HEADSTART_STATE
mkdir -p "$HEADSTART_STATE"

# Mounts an ext4 with blocks of a page at $disk, made with more options of mkfs.ext4.
make_ext4() { # [OPTION…]
	make_image 256M
	mkfs.ext4 -q -F -b "$(getconf PAGESIZE)" "$@" "$tmp/image" 2>"$tmp/err" || skip "mkfs.ext4 $*: $(cat "$tmp/err")"
	mount -o loop "$tmp/image" "$disk" 2>"$tmp/err" || skip "no loop device here: $(cat "$tmp/err")"
}
# A new file: if anything still has the file system of the case before, that goes on writing to the old one.
make_image() { # SIZE
	mkdir -p "$disk"
	rm -f "$tmp/image"
	truncate -s "$1" "$tmp/image"
}

# The same for a file system of another kind, xfs or btrfs.
make_other() { # KIND [OPTION…]
	kind=$1
	shift
	have "mkfs.$kind" || skip "no mkfs.$kind"
	make_image 512M
	"mkfs.$kind" -q -f "$@" "$tmp/image" >"$tmp/err" 2>&1 || skip "mkfs.$kind $*: $(cat "$tmp/err")"
	mount -o loop -t "$kind" "$tmp/image" "$disk" 2>"$tmp/err" || skip "no $kind can be mounted here: $(cat "$tmp/err")"
}
at_exit() { unmount; }

# Fills the disk with 24 small files that lie apart from each other, and a large one, and makes a profile of a program that touches
# them: $tmp/start.profile.
make_files() {
	mkdir -p "$disk/bin" "$disk/lib"
	for i in $(seq 24); do
		head -c $((20000 + 3000 * i)) /dev/urandom >"$disk/lib/small$i"
		head -c 1000000 /dev/zero >"$disk/lib/between$i" # keeps them apart, in the same folder: XFS puts each folder elsewhere
		sync "$disk/lib/small$i" "$disk/lib/between$i"
	done
	head -c 3000000 /dev/urandom >"$disk/lib/large"
	printf '#!/bin/sh\n' >"$disk/bin/program"
	chmod 755 "$disk/bin/program"
	sync -f "$disk"
	rm "$disk"/lib/between*
	describe >"$tmp/description"
	"$make_profile" "$tmp/start.profile" <"$tmp/description"
}

# Puts the files onto a file system whose free blocks cannot be written, since what its image is stored on is full. widen_thin() gives it room.
begin_thin() { # KIND MEGABYTES MOUNT-OPTIONS [OPTION of mkfs…]
	thin_kind=$1 thin_size=$2 thin_options=$3
	shift 3
	have "mkfs.$thin_kind" || skip "no mkfs.$thin_kind"
	mkdir -p "$tmp/thin" "$disk"
	mount -t tmpfs -o "size=$((thin_size + 50))M" none "$tmp/thin"
	truncate -s "${thin_size}M" "$tmp/thin/image"
	"mkfs.$thin_kind" -q "$@" "$tmp/thin/image" >"$tmp/err" 2>&1 || skip "mkfs.$thin_kind: $(cat "$tmp/err")"
	# What the file system writes by itself has room: all blocks are there until fstrim takes the free ones back.
	dd if="$tmp/thin/image" of="$tmp/thin/image" bs=1M conv=notrunc status=none
	mount -o "loop,$thin_options" -t "$thin_kind" "$tmp/thin/image" "$disk" 2>"$tmp/err" || skip "no $thin_kind can be mounted here: $(cat "$tmp/err")"
	make_files
	sync -f "$disk" # a block is free only when that is in the journal
	fstrim "$disk" 2>"$tmp/err" || skip "the blocks of files that are gone cannot be given back: $(cat "$tmp/err")"
	picture >"$tmp/before"
	sync -f "$disk"
	mount -o "remount,size=$(df -k --output=used "$tmp/thin" | tail -1 | tr -d ' ')k" "$tmp/thin"
}
fill_thin() { dd if=/dev/zero of="$tmp/thin/rest" bs=4k status=none 2>"$tmp/err" || :; }
widen_thin() {
	rm "$tmp/thin/rest"
	mount -o "remount,size=$((thin_size + 50))M" "$tmp/thin"
}
end_thin() {
	unmount
	umount "$tmp/thin"
}

# What the program touches: the small files, last one first, and every eighth page of the large one.
describe() {
	echo "program $disk/bin/program"
	echo "file regular $disk/bin/program"
	echo "range 0 1 0 1"
	order=1
	for i in $(seq 24 -1 1); do
		echo "file regular $disk/lib/small$i"
		echo "range 0 4 $order 1"
		order=$((order + 4))
	done
	echo "file regular $disk/lib/large"
	for page_number in $(seq 0 8 700); do
		echo "range $page_number 1 $order 1"
		order=$((order + 1))
	done
}

# Puts the profile where that of the program is found, and a plan beside it.
to_store() {
	"$headstart" plan --device rotational "$tmp/start.profile" >"$tmp/out"
	plan=$(echo "$HEADSTART_STATE"/program-*.plan)
	cp "$tmp/start.profile" "${plan%.plan}.profile"
}

place() { "$headstart" place --device rotational "$@"; }

# Sums, times, owners and modes of all files.
picture() { (cd "$disk" && find . -type f ! -name lost+found | sort | while read -r name; do
	echo "$name $(sha256sum <"$name") $(stat -c '%i %s %y %z %u %a' "$name")"
done); }

# Prints how many pieces a file has on the disk, and the first block of it.
pieces() { filefrag -v "$1" | sed -n 's/.*: \([0-9]*\) extents\{0,1\} found/\1/p'; }
first_block() { filefrag -v "$1" | awk '$1 == "0:" {sub(/\.\./, "", $4); print $4}'; }

# All files are as in the picture $tmp/before.
same() { picture | diff "$tmp/before" - || fail "files have changed"; }

# Whether the small files lie one behind the other, in the order of their first touch.
lie_together() {
	at=
	for i in $(seq 24 -1 1); do
		[ "$(pieces "$disk/lib/small$i")" = 1 ] || fail "small$i lies in pieces"
		[ -z "$at" ] || [ "$(first_block "$disk/lib/small$i")" = "$at" ] || return 1
		at=$(($(first_block "$disk/lib/small$i") + ($(stat -c %s "$disk/lib/small$i") + 4095) / 4096))
	done
}

# The file system is checked when nothing is mounted on it any more.
check_file_system() {
	case ${kind-} in
	xfs) set -- xfs_repair -n -f "$tmp/image" ;;
	*) set -- fsck.ext4 -fn "$tmp/image" ;;
	esac
	unmount
	"$@" >"$tmp/fsck" 2>&1 || fail "$1 found errors: $(cat "$tmp/fsck")"
	mount -o loop "$tmp/image" "$disk"
}
