#!/bin/sh
# Whole mode: from the first cold object on, the prefetcher is told of every mapped file, dlopen included; but only in a cold
# start.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

printf '#!/bin/sh\nexec "%s" "$@" >"%s"\n' "$built/list" "$tmp/mapped" >"$tmp/prefetcher"
chmod +x "$tmp/prefetcher"

case_prefetcher_is_told_all_that_is_mapped() {
	told() {
		make_cold
		in_front=gathering shimmed HEADSTART=whole HEADSTART_PREFETCH="$tmp/prefetcher" "$look" "$place/libthree.so" >/dev/null || true
		[ -e "$tmp/mapped" ] || fail "no prefetcher was started"
	}
	until_undisturbed told
	for library in $libraries; do
		grep -qxF "$library" "$tmp/mapped" || fail "not told of '$library': $(cat "$tmp/mapped")"
	done
	grep -qF /libc.so "$tmp/mapped" || fail "not told of libc: $(cat "$tmp/mapped")"
	! grep -v '^/' "$tmp/mapped" || fail "told of something that is no file"
	! grep -E '/ld-linux|linux-vdso|libheadstart' "$tmp/mapped" || fail "told of the loader or ourselves"
}

# One resident library does not make a start warm, and a further cold one does not start a second prefetcher. If ld.so is held up
# between reading a library's header and calling the shim, read-ahead may have read the pages meanwhile.
case_one_resident_library_makes_no_warm_start() {
	partly_cold() {
		make_warm
		: >"$log"
		"$page" out "$place/libone.so"
		shimmed HEADSTART=whole "$look" >/dev/null || true
		[ "$(grep -c whole=started "$log")" = 1 ] || fail "partly cold: $(cat "$log")"
	}
	until_undisturbed partly_cold
}

# If the start was warm, the shim ignores libraries that are opened later: there may be a seccomp filter by then.
case_later_library_of_a_warm_start_starts_nothing() {
	nothing_started() {
		"$page" out "$place/libthree.so"
		shimmed HEADSTART=whole "$look" "$place/libthree.so" >/dev/null || true
		[ ! -e "$log" ] || fail "started in a warm start, or by dlopen: $(cat "$log")"
	}
	when_warm nothing_started
}

run_cases
