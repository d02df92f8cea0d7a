# For tests of whether the program waits: $look has a plan in physical order, and a prefetcher that reports when it has begun and
# ends when it is told to. $order shows which of the two was first.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"
order=$tmp/order
mkfifo "$tmp/begun" "$tmp/go"
exec 8<>"$tmp/begun" # so that lines in the FIFO stay until they are read
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/slow"

# Asking whether a page is resident makes the kernel read it, so each probe shows a cold start only once; and the program itself
# reads its libraries. Nobody reads these files, so that a cold start stays one, whoever asks and however late.
untouched=
for number in 1 2 3 4 5; do
	dd if=/dev/zero of="$place/untouched.$number" bs=64k count=16 conv=fsync status=none
	untouched="$untouched $place/untouched.$number"
done
make_cold() { "$page" out $libraries $untouched || fail "pages stay in the page cache"; }

make_physical() { plan=$(ORDER=physical "$built/plan-for" "$state" "${1-$look}" $libraries $untouched); }

# Whether a process waits for the prefetcher: then it has a pidfd of it, and $waiting is its id. It has left its parent's hooks
# by then.
program_waits() {
	waiting=$(grep -lsx "Pid:[[:space:]]*$prefetcher" /proc/[0-9]*/fdinfo/* | sed -n '1s,/proc/\([0-9]*\)/.*,\1,p')
	[ -n "$waiting" ]
}

# Starts a command in the background as $starter, and returns when the program that it starts waits. That must happen before the
# prefetcher ends. The prefetcher of the previous run may still hold the lock on the plan.
start_slowly() {
	begin_slowly "$@"
	expect_waiting "$@"
}
begin_slowly() {
	rm -f "$log"
	"$unclaimed" "$plan"
	rm -f "$order"
	make_cold
	start_in_background tell "$@"
	prefetcher_begins
}
# The same, but the prefetcher was started before.
start_another_slowly() {
	make_cold
	start_in_background : "$@"
	expect_waiting "$@"
}
# If a program starts no prefetcher, the test must not wait for one for ever: then the first argument, which runs after it, says
# so.
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
	[ "$line" != none ] || fail "no prefetcher was started: $(cat "$log")"
	prefetcher=$line
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
# The prefetcher's arguments: that the program runs meanwhile, or, if the program itself has started the prefetcher, that it
# waits.
waited() { waited_with --alongside; }
waited_itself() { waited_with ""; }
waited_with() {
	head -1 "$order" | grep -qx "prefetched --fd [0-9]*${1:+ $1}" || fail "$what: the program did not wait: $(cat "$order" "$log")"
	grep -q '^sum' "$order" || fail "$what: the program did not run: $(cat "$order" "$tmp/err")"
	[ "$(grep -c plan=started "$log")" = 1 ] || fail "$what: not one prefetcher: $(cat "$log")"
}

# How long a start would wait at most can be read from its system calls, however long it takes on this machine. follow COMMAND…
# starts it cold, and waits_up_to prints the seconds; nothing if it does not wait. $what is what the shim must do about the plan.
follow() {
	rm -f "$log"
	[ -n "${is_cold-}" ] || make_cold
	in_front="strace -qq -f -e trace=ppoll,pidfd_open -o $tmp/calls" shimmed "$@" >"$tmp/seen" 8<&- || true
	grep -q '^sum' "$tmp/seen" || fail "$*: the program did not run: $(cat "$tmp/seen")"
	grep -q "program=$look .*plan=$what" "$log" || fail "$*: not $what: $(cat "$log")"
}
waits_up_to() { sed -n 's/.*ppoll(\[{fd=[0-9]*, events=POLLIN}\], 1, {tv_sec=\([0-9]*\), .*/\1/p' "$tmp/calls"; }
