#!/bin/sh
# dlopen and dlmopen see their real caller, and behave as they do without the shim; functions have libc's versions. In whole mode
# a cold library is read.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

tests=$HEADSTART_TEST_BUILD/tests/preload
mkdir "$place/private" "$place/app"
cp "$tests/libcaller.so" "$place"
cp "$place/libthree.so" "$place/private/libfound.so"
cp "$tests/libraries" "$place"
printf 'exit 3\n' >"$place/script"
chmod +x "$place/script"

env -i "$place/libraries" "$place/libcaller.so" "$place/script" >"$tmp/expected" 2>&1 || fail "$(cat "$tmp/expected")"
grep -q "by the caller's RUNPATH: $place/private/libfound.so in ours" "$tmp/expected" || fail "$(cat "$tmp/expected")"
grep -q "from apart: $place/private/libfound.so in another" "$tmp/expected" || fail "$(cat "$tmp/expected")"
grep -q '^threads: 64$' "$tmp/expected" || fail "$(cat "$tmp/expected")"
grep -q '^searched: 600$' "$tmp/expected" || fail "$(cat "$tmp/expected")"
case_caller_of_dlopen_is_seen_as_before() {
	for mode in auto whole off; do
		env -i LD_PRELOAD="$preload" HEADSTART="$mode" HEADSTART_STATE="$state" HEADSTART_PREFETCH=/bin/true \
			"$place/libraries" "$place/libcaller.so" "$place/script" >"$tmp/seen" 2>&1 || fail "$mode: $(cat "$tmp/seen")"
		diff "$tmp/expected" "$tmp/seen" || fail "$mode: not the same"
	done
}

# The control: the test notices an object that calls dlopen in the place of its caller.
case_wrong_caller_would_be_noticed() {
	if have cc; then
		printf '#define _GNU_SOURCE\n#include <dlfcn.h>\nvoid *dlopen(const char *n, int f) { void *(*d)(const char *, int) =
		(void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"); void *r = d(n, f); __asm__ volatile(""); return r; }' >"$tmp/naive.c"
		cc -shared -fPIC -o "$tmp/naive.so" "$tmp/naive.c"
		env -i LD_PRELOAD="$tmp/naive.so" "$place/libraries" "$place/libcaller.so" "$place/script" >"$tmp/seen" 2>&1 || true
		cmp -s "$tmp/expected" "$tmp/seen" && fail "this would not notice a wrong caller"
		# The hook leads on to another preloaded library, whether that stands before the shim or behind it.
		for order in "$tmp/naive.so:$preload" "$preload:$tmp/naive.so"; do
			env -i LD_PRELOAD="$order" HEADSTART_STATE="$state" "$place/libraries" "$place/libcaller.so" \
				"$place/script" >"$tmp/seen.both" 2>&1 || fail "$order: $(cat "$tmp/seen.both")"
			cmp -s "$tmp/seen" "$tmp/seen.both" || fail "$order: $(diff "$tmp/seen" "$tmp/seen.both")"
		done
	fi
}

# Whole mode. Nothing is read for a program that has ended, so this one stays until its library is there.
case_whole_mode_reads_a_cold_library() {
	mkfifo "$tmp/linger"
	library_is_read() {
		make_cold
		rm -f "$log"
		exec 9<>"$tmp/linger" # so that a line stays until it is read
		gathering env -i LD_PRELOAD="$preload" HEADSTART=whole HEADSTART_STATE="$state" HEADSTART_LOG="$log" \
			HEADSTART_PREFETCH="$prefetch" HEADSTART_TEST_LINGER="$tmp/linger" "$look" "$place/libthree.so" >"$tmp/seen" 9<&- &
		program=$!
		for try in $(seq 200); do
			! "$page" came "$place/libthree.so" >"$tmp/out" || break
			sleep 0.05
		done
		echo >&9
		wait $program || true
		exec 9<&-
		grep -q '^sum: 7 8 9 10$' "$tmp/seen" || fail "whole: $(cat "$tmp/seen")"
		grep -q "^preload program=$place/libthree.so .*library=started" "$log" || fail "whole: nothing was started"
		"$page" came "$place/libthree.so" >"$tmp/out" || fail "whole: the library was not read"
	}
	until_undisturbed library_is_read
}

case_other_modes_read_none() {
	for mode in auto plan off; do
		make_cold
		rm -f "$log"
		shimmed HEADSTART="$mode" "$look" "$place/libthree.so" >"$tmp/seen" || true
		[ ! -e "$log" ] || fail "$mode: $(cat "$log")"
	done
}

run_cases
