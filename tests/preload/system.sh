#!/bin/sh
# System-wide, in a mount namespace of the test's own: every program finds the shim by $LIB in an /etc/ld.so.preload, and behaves
# as before: shells, interpreters, programs that give rights, static ones, 32-bit ones.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

[ "$(id -u)" = 0 ] || skip "only root can mount an /etc of its own"
stub=$HEADSTART_TEST_BUILD/ldpreload/i386/libheadstart-preload.so
for folder in lib/x86_64-linux-gnu lib/aarch64-linux-gnu lib64; do
	mkdir -p "$tmp/$folder"
	cp "$preload" "$tmp/$folder"
done
for folder in lib/i386-linux-gnu lib32; do
	mkdir -p "$tmp/$folder"
	[ ! -e "$stub" ] || cp "$stub" "$tmp/$folder"
done
mkdir -p "$tmp/etc/headstart"
echo "$tmp/\$LIB/libheadstart-preload.so" >"$tmp/etc/ld.so.preload"
chmod 755 "$tmp" "$place"

in_system() {
	unshare --mount --propagation private sh -c '
		mount -t overlay overlay -o "lowerdir=$1:/etc" /etc || exit 77
		shift
		exec "$@"' sh "$tmp/etc" env -i PATH="$PATH" HOME="$tmp" HEADSTART_STATE="$state" HEADSTART_LOG="$log" \
		HEADSTART_PREFETCH=/bin/true ${LISTED-LD_PRELOAD="$tmp/\$LIB/libheadstart-preload.so"} "$@"
}

# Variables that name files count only where the environment names the shim too. $LISTED is empty if only the file loads the shim.
in_system true 2>/dev/null || skip "no overlay can be mounted on /etc"
[ "$(LISTED= in_system grep -c libheadstart-preload /proc/self/maps)" -ge 2 ] || fail "the shim is not loaded"

# Runs a command in the system with the shim and outside: its output and its status must be the same.
same() {
	expected=0
	env -i PATH="$PATH" HOME="$tmp" HEADSTART_STATE="$state" HEADSTART_LOG="$log" HEADSTART_PREFETCH=/bin/true \
		"$@" >"$tmp/expected" 2>&1 </dev/null || expected=$?
	cold in_system "$@"
	cat "$tmp/err" >>"$tmp/seen"
	[ "$status" = "$expected" ] || fail "$*: exit status $status, not $expected: $(cat "$tmp/seen")"
	cmp -s "$tmp/expected" "$tmp/seen" || fail "$*: $(diff "$tmp/expected" "$tmp/seen")"
}

case_shells() {
	for shell in sh bash dash; do
		have $shell || continue
		what="from $shell"
		same $shell -c '"$0" one two; echo $?; ls /etc/hostname | cat; false' "$target"
		starts
	done
}

case_python() {
	what="from python"
	same /usr/bin/python3 -c 'import subprocess, sys; print(subprocess.run([sys.argv[1]], capture_output=True))' "$target"
	starts
}

case_perl() {
	what="from perl"
	if have perl; then
		same perl -e 'system $ARGV[0], "one"; print $? >> 8; exec $ARGV[0]; ' "$target"
		[ "$(started)" -ge 1 ] || fail "$what: nothing was started"
	fi
}

case_make() {
	what="from make"
	if have make; then
		printf 'all:\n\t@%s one; echo $$?\n' "$target" >"$tmp/Makefile"
		same make -f "$tmp/Makefile"
		starts
	fi
}

case_env_and_find() {
	what="from env and find"
	same find "$target" -exec env {} one ";"
	starts
}

# The shim does nothing in programs that give rights, whatever ld.so removes from their environment, nor in the programs that
# these execute.
case_programs_that_give_rights_are_left_alone() {
	cp "$launch" "$place/secure"
	chown 12345:12345 "$place/secure"
	for mode in 4755 2755; do
		chmod $mode "$place/secure"
		for way in execv execve vfork-execve posix_spawn; do
			what="mode $mode, $way"
			same env LD_LIBRARY_PATH=/nonexistent LD_ORIGIN_PATH=/nonexistent MALLOC_CHECK_=0 "$place/secure" "$way" "$target"
			[ "$status" = 7 ] || fail "$what: exit status $status"
			[ "$(started)" = 0 ] || fail "$what: a prefetcher was started"
		done
	done
}

case_variables_without_the_shim_do_not_count() {
	what="by the file alone, with the variables of somebody's"
	LISTED= cold in_system "$launch" execv "$target"
	[ "$status" = 7 ] || fail "$what: exit status $status"
	[ ! -e "$log" ] || fail "$what: $(cat "$log")"
}

case_static_program() {
	what="static"
	same "$target" one
	[ "$status" = 7 ] || fail "$what: exit status $status"
}

# With the stub missing, or our own library in its place, ld.so would complain.
case_program_of_32_bits() {
	what="32-bit"
	if [ -e "$stub" ] && [ -e /lib/ld-linux.so.2 ] &&
		cc -m32 -nostdlib -fPIE -pie -Wl,--dynamic-linker=/lib/ld-linux.so.2 -o "$place/i386" \
			"$HEADSTART_TEST_SOURCE/tests/preload/i386.c" 2>/dev/null; then
		same "$place/i386"
		[ "$status" = 7 ] || fail "$what: exit status $status"
		rm "$tmp"/lib32/* "$tmp"/lib/i386-linux-gnu/*
		in_system "$place/i386" 2>&1 | grep -q 'ERROR: ld.so' || fail "$what: this would not notice"
	else
		untried "the stub: no loader or compiler for 32-bit programs"
	fi
}

case_kill_switch_is_obeyed() {
	what="kill switch"
	touch "$tmp/etc/headstart/disable"
	cold in_system "$launch" execv "$target"
	[ "$status" = 7 ] || fail "$what: exit status $status"
	[ "$(started)" = 0 ] || fail "$what: a prefetcher was started"
}

run_cases
