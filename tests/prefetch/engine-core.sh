#!/bin/sh
# The ways of bench/micro-engine: each opens every file and reads every byte.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
core=$HEADSTART_TEST_BUILD/bench/engine/engine-core
make_files 3
for file in "$disk"/f*; do
	printf '%s %d %d\n' "$file" 0 10 "$file" 40 50
done >"$tmp/list"

brings() { # DEPTH WAY…
	depth=$1
	shift
	evict "$disk"/f*
	out=$("$core" "$@" $order 65536 $depth "$tmp/$order") || fail "$* failed"
	[ "$(value resident "$out")" = 0 ] || fail "$*: the files were not cold: $out"
	[ "$("$page" came "$disk"/f*)" -ge $((3 * 60 * 4096)) ] || fail "$*: not all arrived"
}

case_every_way_opens_every_file_and_brings_every_byte() {
	for order in touch physical; do
		"$core" prepare - $order 0 0 "$tmp/list" >"$tmp/$order"
		[ "$(grep -c '^F' "$tmp/$order")" = 3 ] && [ "$(grep -c '^E' "$tmp/$order")" = 6 ] || fail "not all was prepared"
		for way in serial threads uring; do
			"$core" open $way $order 0 4 "$tmp/$order" >"$tmp/out" || fail "open $way failed"
			grep -q '"done_us": [0-9]' "$tmp/out" || fail "open $way says no time"
		done
		for way in 'data read' 'data fadvise' 'data nowait' 'data uring-fadvise' 'data uring-read' 'data uring-unmapped' \
			'run opens-first' 'run together'; do
			depth=4
			[ "${way% *}" = data ] || depth=4/4
			until_undisturbed brings $depth $way
		done
	done
}

case_wrong_arguments_are_refused() {
	refuses 1 "no such way" "$core" data never touch 65536 4 "$tmp/touch"
	refuses 1 "Invalid argument" "$core" open serial touch 0 1 "$disk/f1"
}

run_cases
