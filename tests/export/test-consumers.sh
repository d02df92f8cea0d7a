#!/bin/sh
# What engines do with the lists of headstart export: mksquashfs lays files out in that order, vmtouch reads those files.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
command -v python3 >/dev/null || skip "no python3"
real=$(realpath "$tmp")
mkdir -p "$real/image/folder"
cd "$real/image"

# Names that only their escapes save, touched against the order of the alphabet, in which mksquashfs takes files by itself.
python3 - <<'EOF_PYTHON' >"$real/description"
import os, sys
names = [b"#comment", b"a", b"b blank", b"c\\back", b"d\ttab", b"e\"quote", b"f*star", b"folder/g", b"-dash", b"\xff"]
out = sys.stdout.buffer
out.write(b"program /none\n")
for order, name in enumerate(reversed(sorted(names))):
    open(name, "wb").write(os.urandom(300000))
    out.write(b"file regular %s/%s\nrange 0 1 %d 1\n" % (os.getcwd().encode(), name, order))
open("untouched", "wb").write(os.urandom(300000))
EOF_PYTHON
"$make_profile" "$real/profile" <"$real/description" || fail "no profile"

# The first block of each file in a squashfs, by name, as squashfs's own superblock, inodes and directories have it.
cat >"$real/blocks.py" <<'EOF_PYTHON'
import os, re, subprocess, sys
image, folder = sys.argv[1:]
data = open(image, "rb").read()
places = []
for root, _, names in os.walk(os.fsencode(folder)):
    for name in names:
        path = os.path.join(root, name)
        # The content is random and stored uncompressed, so it lies in the image as it is.
        places.append((data.index(open(path, "rb").read()[:4096]), os.path.relpath(path, os.fsencode(folder))))
sys.stdout.buffer.write(b"".join(path + b"\n" for _, path in sorted(places)))
EOF_PYTHON

squash() { # IMAGE [OPTION…]
	image=$1
	shift
	mksquashfs "$real/image" "$image" -noD -noF -no-fragments -no-xattrs -no-progress -processors 1 "$@" >"$real/log" 2>&1 ||
		fail "mksquashfs fails: $(cat "$real/log")"
}

case_mksquashfs_lays_files_out_in_the_order_of_touch() {
	have mksquashfs || exit 0
	squash "$real/unsorted"
	python3 "$real/blocks.py" "$real/unsorted" "$real/image" >"$real/before"
	"$headstart" export --format mksquashfs --root "$real/image" -o "$real/sort" "$real/profile" >/dev/null || fail "no list"
	squash "$real/sorted" -sort "$real/sort"
	! grep -qiE 'cannot|ambiguous|ignoring|warning|fail' "$real/log" || fail "mksquashfs says: $(cat "$real/log")"
	python3 "$real/blocks.py" "$real/sorted" "$real/image" >"$real/after"
	{ sed -n "s|^file regular $real/image/||p" "$real/description" && echo untouched; } >"$real/expected"
	! cmp -s "$real/before" "$real/expected" || fail "mksquashfs takes that order by itself: the test proves nothing"
	cmp -s "$real/after" "$real/expected" || fail "the files lie otherwise: $(diff "$real/expected" "$real/after")"
}

# What vmtouch counts and what the kernel says: the named files, and no other.
case_vmtouch_reads_the_files_of_the_batch() {
	have vmtouch || exit 0
	"$headstart" export --format vmtouch -o "$real/batch" "$real/profile" >/dev/null || fail "no batch"
	until_undisturbed vmtouch_reads
}
vmtouch_reads() {
	sync -f "$real/image"
	find "$real/image" -type f -print0 | xargs -0 -n 1 sh -c 'dd of="$1" oflag=nocache conv=notrunc count=0 status=none' sh
	vmtouch -t -0 -b "$real/batch" >"$real/log" 2>&1 || fail "vmtouch: $(cat "$real/log")"
	grep -qE '^ *Files: 10$' "$real/log" || fail "vmtouch read other files: $(cat "$real/log")"
	python3 - "$real/image" <<'EOF_PYTHON' || fail "other pages are in memory"
import ctypes, mmap, os, sys
def resident(path):
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        pages = -(-size // mmap.PAGESIZE)
        states = (ctypes.c_ubyte * pages)()
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        assert libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(size), states) == 0
        return sum(state & 1 for state in states), pages
for root, _, names in os.walk(os.fsencode(sys.argv[1])):
    for name in names:
        inside, pages = resident(os.path.join(root, name))
        if inside != (0 if name == b"untouched" else pages):
            sys.exit(f"{name}: {inside} of {pages} pages")
EOF_PYTHON
}

run_cases
