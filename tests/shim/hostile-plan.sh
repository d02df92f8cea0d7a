#!/bin/sh
# A plan that is damaged, or that somebody else could have put there, counts as none, and the program does not notice.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

# Checks that the plan at $plan is not used.
refused() {
	what=$1
	rm -f "$log"
	make_cold
	expect_same HEADSTART=plan
	[ ! -e "$log" ] || fail "$what: $(cat "$log")"
	rm -rf "$plan"
}

make_plan
cp "$plan" "$tmp/good"
good_is_used() { # WHAT
	what=$1
	rm -f "$log"
	make_cold
	expect_same HEADSTART=plan
	grep -q plan=started "$log" || fail "the good plan is not used"
}
case_good_plan_is_used() { until_undisturbed good_is_used "good plan"; }

case_truncated_plan_is_refused() {
	for size in 0 1 7 8 87 88 100; do
		head -c "$size" "$tmp/good" >"$plan"
		refused "truncated to $size bytes"
	done
}

# magic, version, page size, probe_count, probes_end, first probe
case_changed_plan_is_refused() {
	for offset in 0 8 12 48 52 88 92; do
		cp "$tmp/good" "$plan"
		damage "$plan" "$offset"
		refused "changed at $offset"
	done
}

case_noise_is_refused() {
	head -c 100000 /dev/zero >"$plan"
	refused "zeroes"
	head -c 100000 /dev/urandom >"$plan"
	refused "noise"
	head -c 5000 "$tmp/good" | tr '\000' '\377' >"$plan"
	refused "no NUL anywhere"
}

case_plan_that_is_no_file_is_refused() {
	mkfifo "$plan"
	refused "a FIFO"
	mkdir "$plan"
	refused "a folder"
	cp "$tmp/good" "$tmp/elsewhere"
	ln -s "$tmp/elsewhere" "$plan"
	refused "a symbolic link"
	ln -s /dev/zero "$plan"
	refused "a device"
}

case_plan_that_others_could_have_written_is_refused() {
	cp "$tmp/good" "$plan"
	chmod 664 "$plan"
	refused "writable for the group"
	cp "$tmp/good" "$plan"
	chmod 646 "$plan"
	refused "writable for all"
}

case_plan_of_another_user_is_refused() {
	[ "$(id -u)" = 0 ] || skip "not root"
	cp "$tmp/good" "$plan"
	chown 12345 "$plan"
	refused "another user's"
}

# Root may read a file that nobody may read, unless it gives up that right.
case_plan_that_cannot_be_read_is_as_good_as_none() {
	if [ "$(id -u)" = 0 ]; then
		in_front="setpriv --bounding-set=-dac_override,-dac_read_search"
		$in_front test -r "$audit" || skip "root cannot give up the right to read everything, or cannot run what is built without"
	fi
	shimmed HEADSTART=off $through "$look" "$place/libthree.so" >"$tmp/seen" 2>&1 </dev/null || true
	cp "$tmp/expected" "$tmp/expected.before"
	at_case_exit() { mv "$tmp/expected.before" "$tmp/expected"; }
	mv "$tmp/seen" "$tmp/expected"
	cp "$tmp/good" "$plan"
	until_undisturbed good_is_used control
	chmod 200 "$plan"
	refused "not readable"
}

# The body is damaged, but the head is good: the real prefetcher finds that out; the program does not notice.
case_damaged_body_is_for_the_prefetcher_to_find() {
	head -c -10 "$tmp/good" >"$plan"
	what="a damaged body"
	make_cold
	expect_same HEADSTART=plan HEADSTART_PREFETCH="$prefetch"
}

# Sizes that nobody writes: sparse, and larger than any plan may be.
case_huge_plan_does_no_harm() {
	cp "$tmp/good" "$plan"
	truncate -s 1T "$plan" 2>/dev/null || truncate -s 1G "$plan"
	what="a huge plan"
	make_cold
	expect_same HEADSTART=plan HEADSTART_PREFETCH="$prefetch"
	rm "$plan"
	truncate -s 1G "$plan"
	refused "nothing but a hole"
}

# A plan that is again and again cut off, emptied and restored, while its folder belongs to another user every other moment.
case_plan_that_changes_all_the_time_does_no_harm() {
	mkdir "$tmp/theirs"
	cp "$tmp/good" "$tmp/theirs/$(basename "$plan")"
	cat >"$tmp/swap.py" <<'END'
import ctypes, os, shutil, sys
good, plan, state, theirs = sys.argv[1:5]
data = open(good, 'rb').read()
exchange = ctypes.CDLL(None, use_errno=True).renameat2
while os.getppid() != 1 and not os.path.exists(sys.argv[5]):
    for size in (len(data), 50, 0, 4000, len(data)):
        with open(plan, 'wb') as out:
            out.write(data)
            out.truncate(size)
    exchange(-100, state.encode(), -100, theirs.encode(), 2)
END
	if [ "$(id -u)" = 0 ]; then
		chown -R 12345 "$tmp/theirs"
	else
		untried "a folder of plans that becomes another user's: not root"
	fi
	/usr/bin/python3 "$tmp/swap.py" "$tmp/good" "$plan" "$state" "$tmp/theirs" "$tmp/enough" &
	swapper=$!
	what="a plan and a folder that change all the time"
	for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		make_cold
		expect_same HEADSTART=plan HEADSTART_PREFETCH="$prefetch"
	done
	touch "$tmp/enough"
	wait "$swapper" || fail "nothing was swapped"
}

run_cases
