#!/bin/sh
# install --system and uninstall --system are killed at every system call that changes something. Afterwards the machine works
# with the old file or the new one, which names only existing libraries; and the next install and uninstall succeed.
. "$HEADSTART_TEST_SOURCE/tests/install/root-lib.sh"
export ASAN_OPTIONS=detect_leaks=0 # not under strace
can_trace || skip "no strace, or it cannot trace here"
copy_programs
lib64=$(dst_lib /lib64/ld-linux-x86-64.so.2)
[ -n "$lib64" ] && make_library "$root/usr/$lib64/a.so" -shared || skip "no compiler for libraries to preload"
copy_loader32
[ -z "$lib32" ] || make_library "$root/usr/$lib32/a.so" -shared -m32 || {
	rm "$root/lib/ld-linux.so.2"
	lib32=
}
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
calls='write fchmod fchown fsetxattr ftruncate copy_file_range fsync rename renameat renameat2 link linkat unlink unlinkat
	mkdir rmdir symlink symlinkat mount'

check_works() {
	if [ -e "$line" ]; then
		cmp -s "$line" "$tmp/old" || cmp -s "$line" "$tmp/new" || fail "$1: the file is neither old nor new: $(cat "$line")"
	else
		[ ! -e "$tmp/old" ] || fail "$1: the file is gone"
	fi
	in_root /bin/sh -c 'exit 3' >"$tmp/out" 2>&1 && status=0 || status=$?
	[ "$status" = 3 ] && [ ! -s "$tmp/out" ] || fail "$1: programs fail with $status: $(cat "$tmp/out")"
	[ -z "$lib32" ] || in_root "/usr/$lib32/libc.so.6" 2>"$tmp/err" >/dev/null && [ ! -s "$tmp/err" ] ||
		fail "$1: 32-bit programs fail: $(cat "$tmp/err")"
}

# kill_at PREPARE VERB: kills the verb at each call in turn, and runs PREPARE before each.
kill_at() {
	for call in $calls; do
		n=0
		while n=$((n + 1)); do
			$1
			status=0
			(strace -qq -o "$tmp/trace" -e trace="$call" -e "inject=$call:signal=SIGKILL:when=$n" \
				"$tool" "$2" --system --root "$root" >/dev/null 2>&1) 2>/dev/null || status=$?
			[ "$status" != 0 ] || break
			[ "$status" = 137 ] || fail "$2 killed at $call $n: status $status"
			killed=$((killed + 1))
			check_works "$2 killed at $call $n"
			[ "$2" = install ] || finish_uninstall
		done
	done
}

finish_uninstall() {
	"$tool" uninstall --system --root "$root" >/dev/null 2>"$tmp/err" || fail "uninstalling after a kill: $(cat "$tmp/err")"
	if [ -e "$tmp/old" ]; then
		cmp -s "$line" "$tmp/old" || fail "after a kill uninstalling left: $(cat "$line")"
	else
		[ ! -e "$line" ] || fail "after a kill uninstalling left: $(cat "$line")"
	fi
	[ -z "$lib32" ] || [ ! -e "$root/usr/$lib32/headstart" ] || fail "a link to the 32-bit library is left after a kill"
	! find "$root/etc" -name '.ld.so.preload*' | grep . || fail "temporary files are left after a kill"
}
install_now() {
	"$tool" install --system --root "$root" >/dev/null 2>"$tmp/err" || fail "installing after a kill: $(cat "$tmp/err")"
	cmp -s "$line" "$tmp/new" || fail "installing after a kill wrote: $(cat "$line")"
}
nothing() { :; }

for old in absent present; do
	rm -f "$line" "$tmp/old"
	[ "$old" = absent ] || printf '# kept\n/usr/$LIB/a.so' >"$tmp/old"
	[ ! -e "$tmp/old" ] || cp "$tmp/old" "$line"
	{ [ ! -e "$tmp/old" ] || { cat "$tmp/old" && echo; }; echo "$name"; } >"$tmp/new"
	killed=0
	kill_at finish_uninstall install
	[ "$killed" -ge 8 ] || fail "install was killed only $killed times"
	at_install=$killed killed=0
	install_now
	kill_at install_now uninstall
	[ "$killed" -ge 4 ] || fail "uninstall was killed only $killed times"
	echo "$old: killed at $at_install calls of install, $killed of uninstall"
	finish_uninstall
done

# If the self-test's own process dies, the self-test has not succeeded.
strace -qq -f -o "$tmp/trace" -e trace=mount -e inject=mount:signal=SIGKILL:when=1 \
	"$tool" install --system --root "$root" >/dev/null 2>&1 && fail "installed though the self-test died"
[ ! -e "$line" ] || cmp -s "$line" "$tmp/old" || fail "wrote the line though the self-test died"
check_witness
echo ok
