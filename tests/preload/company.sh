#!/bin/sh
# Together with other preloaded libraries, sanitizers, debuggers, tracers, sandboxes and many processes at once.
#
# libfaketime names its shared memory in /dev/shm after its process, and leaves it there when the process executes another
# program. It would disturb a later process with the same number. So /dev/shm is the test's own.
if [ -z "${HEADSTART_TEST_SHM-}" ]; then
	export HEADSTART_TEST_SHM=shared
	unshare --mount --propagation private true 2>/dev/null &&
		exec unshare --mount --propagation private sh -c '
			mount -t tmpfs tmpfs /dev/shm 2>/dev/null && HEADSTART_TEST_SHM=own
			exec sh "$1"' sh "$0"
fi
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

# Runs a command, which must exit with $1, without the shim and with it, with the target cold. Its output must be the same.
# $beside are libraries that are preloaded in both cases.
beside=
same() {
	expected=$1
	shift
	status=0
	env -i PATH="$PATH" HOME="$tmp" LD_PRELOAD="$beside" "$@" >"$tmp/expected" 2>&1 </dev/null || status=$?
	[ "$status" = "$expected" ] || fail "$*: without the shim, exit status $status, not $expected: $(cat "$tmp/expected")"
	for list in "$beside $preload" "$preload $beside"; do
		cold env -i PATH="$PATH" HOME="$tmp" LD_PRELOAD="$list" HEADSTART_STATE="$state" HEADSTART_LOG="$log" \
			HEADSTART_PREFETCH=/bin/true "$@"
		cat "$tmp/err" >>"$tmp/seen"
		[ "$status" = "$expected" ] || fail "$*: exit status $status, not $expected: $(cat "$tmp/seen")"
		# valgrind reports each system call that it does not know, such as openat2 in 3.19.
		sed -i '/^--[0-9]*-- /d; /^environment: \(LD_PRELOAD\|LD_LIBRARY_PATH\|FAKETIME_SHARED\|FAKEROOTKEY\)=/d' "$tmp/expected" "$tmp/seen"
		cmp -s "$tmp/expected" "$tmp/seen" || fail "$*: $(diff "$tmp/expected" "$tmp/seen")"
	done
}

# Other libraries, before the shim and behind it.
case_other_libraries() {
	for name in libjemalloc.so.2 libfaketime.so.1 libfakeroot-sysv.so libeatmydata.so; do
		beside=$(find /usr/lib /usr/lib64 -name "$name" 2>/dev/null | head -1)
		[ $name != libfaketime.so.1 ] || [ $HEADSTART_TEST_SHM = own ] || beside=
		if [ -z "$beside" ]; then
			untried "$name"
			continue
		fi
		for way in execv vfork-execv posix_spawn; do
			same 7 "$launch" "$way" "$target" argument
			starts "$name: $way"
		done
		same 3 sh -c 'echo one; (echo two | cat); exec sh -c "exit 3"'
	done
}

case_faketime_eatmydata_and_fakeroot() {
	if [ $HEADSTART_TEST_SHM != own ]; then
		untried "faketime, for which /dev/shm is shared with others"
	elif have faketime; then
		same 0 faketime -f '2020-01-01 00:00:00' date +%Y
		[ "$(cat "$tmp/seen")" = 2020 ] || fail "faketime: $(cat "$tmp/seen")"
	fi
	! have eatmydata || same 0 eatmydata sh -c 'echo text | cat'
	if have fakeroot; then
		if fakeroot true 2>/dev/null; then
			same 0 fakeroot id -u
			same 7 fakeroot "$launch" execv "$target"
		else
			untried "fakeroot, which does not work here"
		fi
	fi
}

# Sanitizers, whose libraries want to be the first. ThreadSanitizer dies by chance where the kernel spreads addresses more than it
# expects (vm.mmap_rnd_bits above 28).
case_sanitizers() {
	for sanitizer in address undefined thread leak; do
		status=0
		cc -D_GNU_SOURCE -fsanitize=$sanitizer -o "$tmp/sanitized" "$HEADSTART_TEST_SOURCE/tests/preload/launch.c" 2>/dev/null &&
			setarch -R "$tmp/sanitized" execve "$target" >"$tmp/out" 2>&1 || status=$?
		if [ "$status" != 7 ]; then
			untried "-fsanitize=$sanitizer"
			continue
		fi
		same 7 setarch -R "$tmp/sanitized" execve "$target"
		starts "-fsanitize=$sanitizer"
		same 7 setarch -R "$tmp/sanitized" posix_spawn "$target"
		starts "-fsanitize=$sanitizer"
	done
}

# clang's library of AddressSanitizer has another name, and looks for that. This is gcc's under that name.
case_sanitizer_of_clang() {
	have patchelf || return 0
	runtime=$(realpath "$(cc -print-file-name=libasan.so)")
	clangs=libclang_rt.asan-$(uname -m).so
	if ! cc -D_GNU_SOURCE -fsanitize=address -o "$tmp/sanitized" "$HEADSTART_TEST_SOURCE/tests/preload/launch.c" 2>/dev/null; then
		untried "-fsanitize=address"
		return 0
	fi
	cp "$runtime" "$tmp/$clangs"
	patchelf --set-soname "$clangs" "$tmp/$clangs"
	patchelf --replace-needed "$(patchelf --print-soname "$runtime")" "$clangs" "$tmp/sanitized"
	patchelf --set-rpath "$tmp" "$tmp/sanitized"
	ldd "$tmp/sanitized" | grep -q "$tmp/$clangs" || fail "the test looks at the wrong thing: $(ldd "$tmp/sanitized")"
	same 7 setarch -R "$tmp/sanitized" execve "$target"
	starts "clang's -fsanitize=address"
}

# Debuggers and tracers see the program, and nothing of the prefetcher.
case_strace() {
	if ! strace -o "$tmp/trace" true 2>/dev/null; then
		untried "strace, which cannot trace here"
	else
		for way in execve posix_spawn vfork-execve; do
			same 7 strace -f -o "$tmp/trace" "$launch" "$way" "$target"
			starts "strace: $way"
			! grep '/bin/true' "$tmp/trace" || fail "strace: the prefetcher is traced"
		done
	fi
}

case_gdb() {
	if have gdb; then
		for way in execve posix_spawn vfork-execve; do
			cold shimmed gdb -nx -batch -ex 'set startup-with-shell off' -ex run -ex backtrace --args "$launch" "$way" "$target"
			grep -q 'exited with code 07' "$tmp/seen" || fail "gdb: $way: $(cat "$tmp/seen" "$tmp/err")"
			starts "gdb: $way"
		done
		cold shimmed gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break hook_enter' -ex run -ex backtrace -ex delete \
			-ex continue --args "$launch" execve "$target"
		grep -q 'exited with code 07' "$tmp/seen" || fail "gdb: stopped in a hook: $(cat "$tmp/seen" "$tmp/err")"
	fi
}

case_valgrind() {
	if have valgrind; then
		for way in execve posix_spawn vfork-execve; do
			same 7 valgrind --vgdb=no --quiet --error-exitcode=9 --trace-children=no "$launch" "$way" "$target"
		done
	fi
}

# Sandboxes and namespaces.
case_bubblewrap() {
	if ! bwrap --dev-bind / / true 2>/dev/null; then
		untried "bwrap, which does not work here"
		return
	fi
	same 7 bwrap --dev-bind / / "$launch" execve "$target"
	starts bwrap
	confined="bwrap --unshare-all --die-with-parent --ro-bind / / --proc /proc --dev /dev"
	if $confined true 2>/dev/null; then
		same 4 $confined sh -c 'echo inside; exit 4'
	else
		untried "bwrap --unshare-all, which does not work here"
	fi
}

case_user_namespaces() {
	if unshare -Ur true 2>/dev/null; then
		same 0 unshare -Ur true
		same 7 unshare -Ur "$launch" posix_spawn "$target"
		mkfifo "$tmp/end"
		unshare -Ur sh -c 'echo $$ >"$1"; exec cat "$2"' sh "$tmp/pid" "$tmp/end" >"$tmp/out" &
		inside=$!
		while [ ! -s "$tmp/pid" ]; do kill -0 "$inside"; done
		result=0
		shimmed nsenter -U --preserve-credentials -t "$(cat "$tmp/pid")" true || result=$?
		echo >"$tmp/end"
		wait "$inside"
		[ "$result" = 0 ] || fail "nsenter -U fails"
	else
		untried "unshare -Ur"
	fi
}

# Many processes, most of them at the same time as others.
case_storm_of_processes() {
	what="10,000 processes"
	seq 10000 | shimmed xargs -n 1 -P 50 true || fail "$what: one of them failed"
	make_cold
	seq 200 | shimmed xargs -n 1 -P 50 "$launch" vfork-execve "$target" >"$tmp/seen" || true
	[ "$(grep -c '^argument: ' "$tmp/seen")" = 200 ] || fail "200 cold at once: $(grep -c '^argument: ' "$tmp/seen")"
}

# Programs whose libc does not have most of the hooked functions.
case_programs_of_musl() {
	if have musl-gcc; then
		sed 's/execveat(f.*;/-1;/; s/strerrorname_np/strerror/' \
			"$HEADSTART_TEST_SOURCE/tests/preload/launch.c" >"$tmp/launch.c"
		musl-gcc -D_GNU_SOURCE -o "$tmp/with-musl" "$tmp/launch.c" || fail "musl-gcc"
		for way in execve execv execvp execvpe execl execlp execle fexecve posix_spawn posix_spawnp vfork-execve; do
			same 7 "$tmp/with-musl" "$way" "$target" one two three four five six seven
			same 100 "$tmp/with-musl" "$way" /nonexistent/target
			same 7 "$(readlink -f /lib/ld-musl-*.so.1)" "$tmp/with-musl" "$way" "$target"
		done
		# Neither /proc nor a descriptor is left when it executes the next program.
		printf '#include <stdlib.h>\n#include <sys/resource.h>\n#include <unistd.h>
		int main(int argc, char **argv) {
			struct rlimit none = {0, 0};
			if (argc > 2 ? chroot(argv[2]) || chdir("/") : setrlimit(RLIMIT_NOFILE, &none)) return 1;
			execv(argv[1], (char *[]){argv[1], 0});
			return 2; }' >"$tmp/cornered.c"
		musl-gcc -D_GNU_SOURCE -o "$tmp/cornered" "$tmp/cornered.c" || fail "musl-gcc"
		same 7 "$tmp/cornered" "$target"
		if [ "$(id -u)" = 0 ]; then
			same 7 "$tmp/cornered" /target "$place"
		else
			untried "chroot: not root"
		fi
		# musl does not have this function, but the shim does: it must behave as if it had failed.
		printf '#include <errno.h>\n#include <stddef.h>
		int execveat(int, const char *, char **, char **, int) __attribute__((weak));
		void *dlmopen(long, const char *, int) __attribute__((weak));
		int main(void) { return execveat && execveat(3, "x", 0, 0, 0) == -1 && errno == ENOSYS && !dlmopen(0, "x", 1) ? 7 : 1; }' \
			>"$tmp/missing.c"
		musl-gcc -o "$tmp/missing" "$tmp/missing.c" || fail "musl-gcc"
		status=0
		shimmed "$tmp/missing" || status=$?
		[ "$status" = 7 ] || fail "what libc does not have: exit status $status"
	fi
}

case_static_programs_and_ld_so_itself() {
	same 7 "$target"
	same 7 "$(ldd /bin/true | grep -oE '/[^ ]*/ld-linux[^ ]*')" "$launch" execve "$target"
}

run_cases
