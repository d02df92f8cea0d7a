# For tests of the program's waiting: $look has a plan in physical order, and a prefetcher that tells when it has begun, and
# ends when it is told to. What it and the program write to $order shows who was first.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"
order=$tmp/order
mkfifo "$tmp/begun" "$tmp/go"
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/slow"

make_physical() { plan=$(ORDER=physical "$built/plan-for" "$state" "${1-$look}" $libraries); }

# Tries a command until it succeeds, for ten seconds.
comes_to() {
	for attempt in $(seq 1000); do
		"$@" && return 0
		sleep 0.01
	done
	return 1
}

# Whether a process waits for the plan; $waiting is its id then. It is past every hook of its parent's.
program_waits() {
	waiting=$(sed -n "s/.*POSIX *ADVISORY *READ *\([0-9]*\) .*:$(stat -c %i "$plan") 0 0$/\1/p" /proc/locks)
	[ -n "$waiting" ]
}

# Starts a command in the background, and returns when the program that it starts waits. A prefetcher of the run before it
# may still hold the lock on the plan.
start_slowly() {
	rm -f "$log"
	"$unclaimed" "$plan"
	rm -f "$order"
	make_cold
	shimmed HEADSTART_PREFETCH="$tmp/slow" "$@" >>"$order" 2>"$tmp/err" &
	starter=$!
	read line <"$tmp/begun"
	expect_waiting "$@"
}
# The same, but the prefetcher has been started before.
start_another_slowly() {
	make_cold
	shimmed HEADSTART_PREFETCH="$tmp/slow" "$@" >>"$order" 2>"$tmp/err" &
	starter=$!
	expect_waiting "$@"
}
expect_waiting() { comes_to program_waits || fail "$*: the program does not wait, or its parent does: $(cat "$log")"; }
go() {
	echo >"$tmp/go"
	wait $starter || true
}
waited() {
	[ "$(head -1 "$order")" = "prefetched --awaited --fd 3" ] || fail "$what: the program did not wait: $(cat "$order" "$log")"
	grep -q '^sum' "$order" || fail "$what: the program did not run: $(cat "$order" "$tmp/err")"
	[ "$(grep -c plan=started "$log")" = 1 ] || fail "$what: not one prefetcher: $(cat "$log")"
}
