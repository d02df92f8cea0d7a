#!/bin/sh
# Root's settings in whole mode. There is no plan on which they could have acted, so the prefetcher that a shim starts reads them.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
conf=$tmp/headstart.conf
# The shim does not pass HEADSTART_CONFIG to its prefetcher, so this runs a copy of the prefetcher with its own settings. It is
# also needed because whole mode does nothing while the same prefetcher carries out a plan, as in other tests.
cp "$prefetch" "$tmp/copy"
mkfifo "$tmp/done"
cat >"$tmp/prefetcher" <<END
#!/bin/sh
HEADSTART_CONFIG=$conf $tmp/copy "\$@" &
while [ -e /proc/\$!/exe ] && ! grep -q nanosleep /proc/\$!/wchan; do :; done
echo >$tmp/done
wait
END
chmod +x "$tmp/prefetcher"

# The program stays until its prefetcher has ended or waits for more to read: nothing is read for a program that has ended.
start() {
	rm -f "$log"
	make_cold
	gathering timeout 600 env -i PATH="$PATH" HOME="$tmp" LD_AUDIT="$audit" HEADSTART_STATE="$state" \
		HEADSTART_LOG="$log" HEADSTART=whole HEADSTART_PREFETCH="$tmp/prefetcher" HEADSTART_TEST_LINGER="$tmp/done" \
		"$look" "$place/libthree.so" >/dev/null || :
	grep -q whole=started "$log" || fail "no prefetcher was started: $(cat "$log" 2>&1)"
}

# Sets `asked` to what the prefetcher says that it asked for; 0 if it did nothing. If the loader's own read-ahead has read a
# library before the shim looks at it, the library is not cold, and no prefetcher is started.
ask() {
	until_undisturbed start
	asked=$(sed -n 's/^objects .*asked=//p' "$log")
	asked=${asked:-0}
}
ask
all=$asked
[ "$all" -gt 0 ] || fail "nothing is read without settings: $(cat "$log" 2>&1)"

case_libraries_of_a_denied_program_are_not_read() {
	printf '[programs]\ndeny = look\n' >"$conf"
	ask
	[ "$asked" = 0 ] || fail "libraries of a program that is denied were read: $(cat "$log" 2>&1)"
}

case_deny_of_another_program_does_not_count() {
	printf '[programs]\ndeny = locked\n' >"$conf"
	ask
	[ "$asked" -gt 0 ] || fail "another program's deny counts: $(cat "$log" 2>&1)"
}

case_memory_budget_is_kept() {
	printf '[budget]\nmemory = 1\n' >"$conf"
	ask
	[ "$asked" -lt "$all" ] || fail "the budget has no effect: $(cat "$log" 2>&1)"
}

run_cases
