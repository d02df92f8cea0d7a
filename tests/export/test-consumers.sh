#!/bin/sh
# What engines do with the lists of headstart export: mksquashfs and ctr-remote lay files out in that order, vmtouch reads those
# files, soci and nydus-image note them. tests/export/install-consumers brings those that Debian does not have.
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

# An image of the files, and a list of them for its engine. A name that is not UTF-8 is left out, and untouched either way.
image_and_list() { # FORMAT
	touched='["folder/g", "f*star", "e\"quote", "d\ttab", "c\\back", "b blank", "a", "-dash", "#comment"]'
	python3 "$HEADSTART_TEST_SOURCE/tests/export/oci.py" pack "$real/image" "$real/$1.tar"
	refuses 1 "is left out" "$headstart" export --format "$1" --root "$real/image" -o "$real/$1.list" "$real/profile"
}

# What was touched lies in front of the landmark, up to which the snapshotter reads ahead (stargz-snapshotter, docs/estargz.md).
case_estargz_has_the_touched_files_first() {
	have ctr-remote || exit 0
	have containerd || exit 0
	[ "$(id -u)" = 0 ] || skip "not root"
	image_and_list estargz
	start_containerd
	remote() { ctr-remote --address "$real/containerd" "$@" >"$real/log" 2>&1 || fail "ctr-remote $1 $2: $(cat "$real/log")"; }
	remote images import --no-unpack --base-name docker.io/library/app "$real/estargz.tar"
	remote images convert --estargz --oci --estargz-record-in "$real/estargz.list" docker.io/library/app:1 docker.io/library/app:2
	remote images export "$real/converted.tar" docker.io/library/app:2
	python3 "$HEADSTART_TEST_SOURCE/tests/export/oci.py" layer "$real/converted.tar" >"$real/layer"
	python3 - "$touched" "$real/layer" <<'EOF_PYTHON' || fail "the layer is laid out otherwise: $(cat "$real/layer")"
import ast, sys
names = [ast.literal_eval(line) for line in open(sys.argv[2])]
first = names[:names.index(".prefetch.landmark")]
sys.exit([name for name in first if name not in (".", "folder")] != ast.literal_eval(sys.argv[1]))
EOF_PYTHON
}
start_containerd() {
	cat >"$real/containerd.toml" <<-EOF_TOML
		version = 2
		root = "$real/containerd-root"
		state = "$real/containerd-state"
		disabled_plugins = ["io.containerd.grpc.v1.cri"]
		[grpc]
		address = "$real/containerd"
		[ttrpc]
		address = "$real/containerd-ttrpc"
	EOF_TOML
	containerd --config "$real/containerd.toml" >"$real/containerd.log" 2>&1 &
	containerd=$!
	at_case_exit() { kill "$containerd" && wait "$containerd"; }
	for _ in $(seq 600); do
		! ctr-remote --address "$real/containerd" version >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	fail "containerd does not start: $(cat "$real/containerd.log")"
}

# Spans of 64 KiB of a layer, by its order.
case_soci_notes_the_spans_of_the_touched_files() {
	have soci || exit 0
	image_and_list soci
	soci --root "$real/soci" convert --standalone --min-layer-size 0 --span-size 65536 --prefetch-files-json "$real/soci.list" \
		"$real/soci.tar" "$real/converted.tar" >"$real/log" 2>&1 || fail "soci: $(cat "$real/log")"
	python3 "$HEADSTART_TEST_SOURCE/tests/export/oci.py" blob "$real/converted.tar" application/vnd.amazon.soci.prefetch.v1+json >"$real/spans"
	python3 "$HEADSTART_TEST_SOURCE/tests/export/oci.py" blob "$real/soci.tar" application/vnd.oci.image.layer.v1.tar+gzip >"$real/layer"
	python3 - "$touched" "$real/layer" "$real/spans" <<'EOF_PYTHON' || fail "other spans: $(cat "$real/spans")"
import ast, json, sys, tarfile
touched = ast.literal_eval(sys.argv[1])
spans = {span for part in json.load(open(sys.argv[3]))["prefetch_spans"] for span in range(part["start_span"], part["end_span"] + 1)}
for member in tarfile.open(sys.argv[2], "r:gz"):
    if not member.isfile():
        continue
    inside = {at // 65536 for at in range(member.offset_data + 65536, member.offset_data + member.size - 65536, 65536)}
    assert inside and (inside <= spans if member.name in touched else not inside & spans), (member.name, inside, spans)
EOF_PYTHON
}

# In the list's order, as the snapshotter reads them ahead.
case_nydus_notes_the_touched_files() {
	have nydus-image || exit 0
	image_and_list nydus
	mkdir "$real/blobs"
	nydus-image create --type directory --blob-dir "$real/blobs" --bootstrap "$real/bootstrap" --prefetch-policy fs "$real/image" \
		<"$real/nydus.list" >"$real/log" 2>&1 || fail "nydus-image: $(cat "$real/log")"
	nydus-image inspect --log-file "$real/inspect.log" --request prefetch "$real/bootstrap" >"$real/noted" 2>"$real/log" || fail "nydus-image inspect: $(cat "$real/log")"
	python3 - "$touched" "$real/noted" <<'EOF_PYTHON' || fail "it has noted others: $(cat "$real/noted")"
import ast, json, sys
noted = json.loads(next(line for line in open(sys.argv[2]) if line.startswith("[{")))
sys.exit([path for file in noted for path in file["path"]] != ["/" + name for name in ast.literal_eval(sys.argv[1])])
EOF_PYTHON
}

run_cases
