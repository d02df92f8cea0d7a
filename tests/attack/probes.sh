#!/bin/sh
# Root's plan names a file below a user's folder, and the user puts something else in its place: the shim, which asks whether
# a page of it is in memory, opens neither a device nor a FIFO, and follows no link.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"

theirs=$tmp/theirs decoys=$tmp/decoys
mkdir "$theirs" "$decoys"
cp "$place/libone.so" "$theirs/planned"
"$built/plan-for" "$state" "$target" "$theirs/planned" >"$tmp/out"
"$built/plan-for" "$state" "$look" "$theirs/planned" >"$tmp/out"
make_decoy() { # KIND
	rm -f "$decoys/planned"
	case $1 in
	fifo) mkfifo "$decoys/planned" ;;
	device) mknod "$decoys/planned" c 1 5 || skip "no device can be made here" ;;
	file) cp "$place/libone.so" "$decoys/planned" ;;
	esac
}

# Runs COMMAND and expects that it ends with 7 and nobody has opened the decoy.
opens_no_decoy() { # COMMAND…
	rm -f "$tmp/sign"
	as="$attack/opened $decoys/planned $tmp/sign"
	forced "$@"
	ends_with 7
	[ ! -e "$tmp/sign" ] || fail "$what: it was opened"
}
by_both_shims() { # KIND
	make_decoy "$1"
	[ -e "$theirs/planned" ] || fail "the decoy is not in place" # and the kernel knows the way there
	what="$1, by a hook"
	opens_no_decoy "$launch" posix_spawn "$target"
	loaded=LD_AUDIT=$audit
	what="$1, by the audit shim"
	opens_no_decoy "$look" "$place/libthree.so"
}

# Where the sign comes from: the planned file itself is opened.
case_an_open_is_seen() {
	rm -f "$tmp/sign"
	as="$attack/opened $theirs/planned $tmp/sign"
	cat "$theirs/planned" >"$tmp/seen"
	forced "$launch" posix_spawn "$target"
	ends_with 7
	[ -e "$tmp/sign" ] || fail "the shim does not look at a planned file"
}

case_folder_becomes_a_link() {
	rm -rf "$theirs"
	ln -s "$decoys" "$theirs"
	for kind in fifo device file; do
		by_both_shims $kind
	done
}

case_file_becomes_a_link() {
	rm -rf "$theirs"
	mkdir "$theirs"
	ln -s "$decoys/planned" "$theirs/planned"
	for kind in fifo device file; do
		by_both_shims $kind
	done
}

case_file_becomes_something_else() {
	rm -rf "$theirs"
	decoys=$theirs
	mkdir "$theirs"
	for kind in fifo device; do
		by_both_shims $kind
	done
}

# A program is not opened to see whether its path is a link.
case_path_of_a_device_is_executed() {
	make_decoy device
	for way in execve posix_spawn; do
		rm -f "$tmp/sign"
		as="$attack/opened $decoys/planned $tmp/sign"
		forced "$launch" $way "$decoys/planned"
		[ ! -e "$tmp/sign" ] || fail "$way: it was opened"
	done
}

run_cases
