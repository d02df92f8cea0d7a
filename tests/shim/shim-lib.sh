# Shared by the shim's tests: a program `look` with libraries of its own in $place, on a file system that reports residency, and
# ways to start it under the shim, cold or warm. $SHIM names the shim: "audit", which is the default, or "preload". $through is
# put in front of the program, unless that is started directly.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
built=$HEADSTART_TEST_BUILD/tests/shim
shim=${SHIM-audit}
through=${THROUGH-}
case $shim in
audit) loaded=LD_AUDIT=$audit ;;
preload) loaded=LD_PRELOAD=$preload ;;
esac
[ -e "$audit" ] || skip "no shim is built for this processor"
# ldpreload/prefetcher/surroundings.c
[ -e /etc/headstart/everywhere ] || {
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] ||
		skip "the shims start nothing in a container without /etc/headstart/everywhere"
	! grep -q '\.service$' /proc/self/cgroup ||
		skip "the shims start nothing in a service of systemd without /etc/headstart/everywhere"
}

# If $tmp is a tmpfs, $place is elsewhere.
place=$tmp/place
mkdir "$place"
cp "$built"/look "$built"/libone.so "$built"/libtwo.so "$built"/libthree.so "$place"
"$page" out "$place/libone.so" || {
	place=$(disk_folder)
	at_exit() { rm -rf "$place"; }
	cp "$built"/look "$built"/libone.so "$built"/libtwo.so "$built"/libthree.so "$place"
	"$page" out "$place/libone.so" || skip "no file system here tells whether a page is resident"
}
look=$place/look
libraries="$place/libone.so $place/libtwo.so $place/libthree.so"
state=$tmp/state
mkdir -p "$state"
log=$tmp/log

# The environment of every start is the same, except for what is being tested. The prefetcher reads nothing: a real one would
# still be at work when the next start has to be cold. $in_front is put in front of everything.
shimmed() {
	${in_front-} env -i PATH="$PATH" HOME="$tmp" "$loaded" HEADSTART_STATE="$state" HEADSTART_LOG="$log" \
		HEADSTART_PREFETCH=/bin/true "$@"
}

make_cold() { "$page" out $libraries || fail "pages stay in the page cache"; }
make_warm() { cat $libraries "$look" >/dev/null; }
make_plan() { plan=$("$built/plan-for" "$state" "$look" $libraries); }

# Runs a command with the shim, cold, and keeps its status and output. A prefetcher of the previous run may still be at work on
# its plan. Again if something else has brought the files into memory meanwhile, unless the test sets `warm_is_right`.
cold() {
	for attempt in 1 2 3 4 5; do
		before_try=$("$disturbed" now)
		cold_once "$@"
		[ -z "${warm_is_right-}" ] && grep -qs =warm "$log" || break
		disturbed_by=$("$disturbed" since "$before_try") || break
		echo "try $attempt of '${what-$*}' failed, disturbed ($disturbed_by): its files were in memory"
	done
}
cold_once() {
	rm -f "$log"
	before_cold
	"$unclaimed" $(find "$state" -name '*.plan' -type f)
	make_cold
	status=0
	"$@" >"$tmp/seen" 2>"$tmp/err" </dev/null || status=$?
}
before_cold() { :; }
# Checks that the program ran, and that no prefetcher was started for its plan.
nothing_done() {
	[ "$status" = 7 ] || fail "$what: exit status $status: $(cat "$tmp/err")"
	[ ! -e "$log" ] || fail "$what: $(cat "$log")"
	! "$page" in "$place/libthree.so" || fail "$what: a library was read"
}

# What `look` sees without the shim. LD_AUDIT or LD_PRELOAD is the same, since it is part of the environment.
expect_same() {
	status=0
	shimmed "$@" $through "$look" "$place/libthree.so" >"$tmp/seen" 2>&1 </dev/null || status=$?
	[ "$status" = 7 ] || fail "$what: exit status $status: $(tail -1 "$tmp/seen")"
	cmp -s "$tmp/expected" "$tmp/seen" || fail "$what: $(diff "$tmp/expected" "$tmp/seen")"
}

shimmed HEADSTART=off $through "$look" "$place/libthree.so" >"$tmp/seen" 2>&1 </dev/null && fail "look is to exit with 7"
mv "$tmp/seen" "$tmp/expected"
grep -q '^sum: 7 8 9 10$' "$tmp/expected" || fail "look does not work: $(cat "$tmp/expected")"
