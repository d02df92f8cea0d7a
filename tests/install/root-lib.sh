# Shared by the tests of install --system: another root, in a mount namespace of the test's own. It is an overlayfs that shows
# this machine with headstart installed on it. Its upper layer is in memory, so all changes disappear with the test.
#
# A test that sources this file runs twice: first as itself, which only starts it again inside the namespace and afterwards
# removes what is left. $root is the other root, $private the folder of the shims there.
. "$HEADSTART_TEST_SOURCE/tests/install/install-lib.sh"

if [ -z "${HEADSTART_TEST_PLACE-}" ]; then
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare -m --propagation private true 2>/dev/null || skip "no mount namespace to be had here"
	status=0
	mkdir "$tmp/place"
	HEADSTART_TEST_PLACE=$tmp/place unshare -m --propagation private sh "$0" "$@" || status=$?
	exit "$status"
fi

private=$(defined HEADSTART_PRIVATE_DIR)
name=$(defined HEADSTART_PRELOAD_NAME)
program=$(defined HEADSTART_PROGRAM_PATH)
record=$(defined HEADSTART_STATE_DIR)/install/ld.so.preload
root=$HEADSTART_TEST_PLACE/root
line=$root/etc/ld.so.preload
mkdir "$root" "$HEADSTART_TEST_PLACE/layer"
mount -t tmpfs tmpfs "$HEADSTART_TEST_PLACE/layer"
mkdir "$HEADSTART_TEST_PLACE/layer/upper" "$HEADSTART_TEST_PLACE/layer/work"

# The whole machine, for tests that try all of its programs.
show_machine() {
	mount -t overlay -o "lowerdir=/,upperdir=$HEADSTART_TEST_PLACE/layer/upper,workdir=$HEADSTART_TEST_PLACE/layer/work" \
		overlay "$root" 2>/dev/null || skip "no overlayfs on '/' here"
	for folder in proc sys dev; do
		mount --rbind "/$folder" "$root/$folder"
	done
	rm -f "$line"
	install_headstart
}

# Prints the libraries that a program needs; none if it is static.
copy_libraries() {
	ldd "$1" 2>/dev/null | grep -oE '/[^ )]+' | while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		[ -e "$root$library" ] || cp -L "$library" "$root$library"
	done
}

# Only as much of the machine as programs need to run, so that the battery has few programs and ends soon.
copy_programs() {
	mount --bind "$HEADSTART_TEST_PLACE/layer/upper" "$root"
	mkdir -p "$root/etc" "$root/tmp" "$root/proc" "$root/dev"
	chmod 755 "$root"
	chmod 1777 "$root/tmp"
	for folder in bin sbin lib lib32 lib64; do
		[ -L "/$folder" ] || continue
		ln -s "$(readlink "/$folder")" "$root/$folder"
		mkdir -p "$root/$(readlink "/$folder")"
	done
	install_headstart
	for file in /bin/true /bin/sh /bin/cat /bin/env; do
		mkdir -p "$root$(dirname "$file")"
		cp -L "$file" "$root$file"
		copy_libraries "$file"
	done
	copy_libraries "$HEADSTART_TEST_BUILD/tools/headstart"
	copy_libraries "$HEADSTART_TEST_BUILD/tools/headstart-tool"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
}

# Prints what a loader puts in the place of $LIB; nothing if the loader cannot be run.
dst_lib() { "$1" --list-diagnostics 2>/dev/null | sed -n 's/^dl_dst_lib="\(.*\)"/\1/p'; }

# 32-bit programs: a loader and a libc are enough.
copy_loader32() {
	lib32=$(dst_lib /lib/ld-linux.so.2)
	[ -n "$lib32" ] && [ -e "$root$private/i386" ] && [ -e "/usr/$lib32/libc.so.6" ] || return 0
	mkdir -p "$root/usr/$lib32"
	cp -L "/usr/$lib32/libc.so.6" "$root/usr/$lib32/"
	cp -L /lib/ld-linux.so.2 "$root/lib/"
}

install_headstart() {
	DESTDIR=$root meson install -C "$HEADSTART_TEST_BUILD" --no-rebuild --quiet >"$tmp/out" 2>&1 ||
		fail "meson install: $(cat "$tmp/out")"
	[ -e "$root$private/libheadstart-preload.so" ] || skip "no shim is built for this processor"
}

# Makes a library that does nothing, for programs of another kind, where their loader looks for it: make_library FILE [CC-OPTION…]
make_library() {
	made=$1
	shift
	mkdir -p "$(dirname "$made")"
	echo 'int headstart_nothing;' | cc "$@" -nostdlib -shared -x c -o "$made" - 2>"$tmp/err"
}

in_root() { env -u HEADSTART_STATE chroot "$root" "$@"; } # the state folder is not in that root
