# For tests of the program's waiting: $look has a plan in physical order, and a prefetcher that tells when it has begun, and
# ends when it is told to. What it and the program write to $order shows who was first.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"
order=$tmp/order
mkfifo "$tmp/begun" "$tmp/go"
exec 8<>"$tmp/begun" # so that what is written into it stays until it is read
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/slow"

# Asking whether a page is there has the kernel read it, so each probe of the plan tells a cold start only once; and the program
# itself reads its libraries. These files nobody reads, so that a cold start stays one, whoever asks and however late.
untouched=
for number in 1 2 3 4 5; do
	dd if=/dev/zero of="$place/untouched.$number" bs=64k count=16 conv=fsync status=none
	untouched="$untouched $place/untouched.$number"
done
make_cold() { "$page" out $libraries $untouched || fail "pages stay in the page cache"; }

make_physical() { plan=$(ORDER=physical "$built/plan-for" "$state" "${1-$look}" $libraries $untouched); }

# Whether a process waits for the plan; $waiting is its id then. It is past every hook of its parent's. A table that changes
# while it is read may have a line twice.
program_waits() {
	waiting=$(sed -n "s/.*POSIX *ADVISORY *READ *\([0-9]*\) .*:$(stat -c %i "$plan") 0 0$/\1/p" /proc/locks | head -n 1)
	[ -n "$waiting" ]
}

# Starts a command in the background as $starter, and returns when the program that it starts waits, which must be before it
# has ended. A prefetcher of the run before it may still hold the lock on the plan.
start_slowly() {
	rm -f "$log"
	"$unclaimed" "$plan"
	rm -f "$order"
	make_cold
	start_in_background tell "$@"
	prefetcher_begins
	expect_waiting "$@"
}
# The same, but the prefetcher has been started before.
start_another_slowly() {
	make_cold
	start_in_background : "$@"
	expect_waiting "$@"
}
# A program that starts no prefetcher must not leave the test waiting for one: then the first argument, run behind it, tells.
start_in_background() {
	behind=$1
	shift
	rm -f "$tmp/ended"
	(
		status=0
		shimmed HEADSTART_PREFETCH="$tmp/slow" "$@" >>"$order" 2>"$tmp/err" 8<&- || status=$?
		: >"$tmp/ended"
		$behind
		exit "$status"
	) &
	starter=$!
}
tell() { grep -q plan=started "$log" || echo none >&8; }
prefetcher_begins() {
	read -r line <&8
	[ -z "$line" ] || fail "no prefetcher was started: $(cat "$log")"
}
expect_waiting() {
	until program_waits; do
		[ ! -e "$tmp/ended" ] || fail "$*: the program does not wait, or its parent does: $(cat "$log")"
		sleep 0.01
	done
}
go() {
	echo >"$tmp/go"
	wait $starter || true
}
# What the prefetcher was told: that the program will wait, or that it does already, having started the prefetcher itself.
waited() { waited_with "--awaited --fd 3"; }
waited_itself() { waited_with "--fd 3"; }
waited_with() {
	[ "$(head -1 "$order")" = "prefetched $1" ] || fail "$what: the program did not wait: $(cat "$order" "$log")"
	grep -q '^sum' "$order" || fail "$what: the program did not run: $(cat "$order" "$tmp/err")"
	[ "$(grep -c plan=started "$log")" = 1 ] || fail "$what: not one prefetcher: $(cat "$log")"
}

# How long a start would wait at most is in its system calls, whatever it takes on this machine: follow COMMAND… starts it cold,
# and waits_up_to prints the seconds, nothing if it does not wait at all. $what is what the shim is to do about the plan.
follow() {
	rm -f "$log"
	make_cold
	in_front="strace -qq -f -e trace=ppoll,pidfd_open -o $tmp/calls" shimmed "$@" >"$tmp/seen" 8<&- || true
	grep -q '^sum' "$tmp/seen" || fail "$*: the program did not run: $(cat "$tmp/seen")"
	grep -q "program=$look .*plan=$what" "$log" || fail "$*: not $what: $(cat "$log")"
}
waits_up_to() { sed -n 's/.*ppoll(\[{fd=[0-9]*, events=POLLIN}\], 1, {tv_sec=\([0-9]*\), .*/\1/p' "$tmp/calls"; }
