#!/bin/sh
# Root's plan names a file below a user's folder, and the user replaces it by something else. The shim, which asks whether a page
# of the file is in memory, must open neither a device nor a FIFO, and must follow no link.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
warm_is_right=yes # what cannot be looked at counts as warm

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

# Runs COMMAND, which must end with 7. Nobody must open the decoy.
opens_no_decoy() { # COMMAND…
	rm -f "$tmp/sign"
	as="$attack/opened $decoys/planned $tmp/sign"
	forced "$@"
	ends_with 7
	[ ! -e "$tmp/sign" ] || fail "$what: it was opened"
}
by_both_shims() { # KIND
	make_decoy "$1"
	[ -e "$theirs/planned" ] || fail "the decoy is not in place" # and the kernel has the path in its cache
	what="$1, by a hook"
	opens_no_decoy "$launch" posix_spawn "$target"
	loaded=LD_AUDIT=$audit
	what="$1, by the audit shim"
	opens_no_decoy "$look" "$place/libthree.so"
}

# The control: the planned file itself is opened.
case_an_open_is_seen() {
	seen() {
		rm -f "$tmp/sign"
		as="$attack/opened $theirs/planned $tmp/sign"
		cat "$theirs/planned" >"$tmp/seen" # the kernel has the path in its cache, unless somebody empties that
		forced "$launch" posix_spawn "$target"
		ends_with 7
		[ -e "$tmp/sign" ] || fail "the shim does not look at a planned file"
	}
	until_undisturbed seen
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

# The shim does not open a program to see whether its path is a link.
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
