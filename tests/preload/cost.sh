#!/bin/sh
# What the shim costs a program without a plan: three system calls of its own at most when it starts, beside those by which
# ld.so opens and maps any library; and of the cheap and harmless kind alone when it executes another.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

command -v strace >/dev/null || skip "strace is not installed"
strace -o "$tmp/trace" true 2>/dev/null || skip "strace may not trace here"

# The calls of /bin/true, without numbers that differ from run to run.
calls() {
	strace -o "$tmp/trace" -E LD_BIND_NOW=1 "$@" /bin/true
	sed -E '/^\+\+\+/d; s/\(.*//' "$tmp/trace" | sort >"$tmp/calls"
}
# ld.so's own, for an object that does nothing but be there.
printf '' >"$tmp/empty.c"
cc -shared -nostdlib -Wl,-z,noseparate-code -Wl,-z,norelro -o "$tmp/empty.so" "$tmp/empty.c" 2>/dev/null ||
	skip "no compiler to make an object to compare with"
calls -E LD_PRELOAD="$tmp/empty.so"
cp "$tmp/calls" "$tmp/calls.empty"
for user in "$state" /nonexistent; do
	calls -E LD_PRELOAD="$preload" -E HEADSTART_STATE="$user"
	more=$(($(wc -l <"$tmp/calls") - $(wc -l <"$tmp/calls.empty")))
	[ "$more" -le 3 ] || fail "$more calls more: $(diff "$tmp/calls.empty" "$tmp/calls")"
done
calls -E LD_PRELOAD="$preload" -E HOME="$tmp"
more=$(($(wc -l <"$tmp/calls") - $(wc -l <"$tmp/calls.empty")))
[ "$more" -le 3 ] || fail "$more calls more: $(diff "$tmp/calls.empty" "$tmp/calls")"
calls -E LD_PRELOAD="$preload" -E HEADSTART=off
more=$(($(wc -l <"$tmp/calls") - $(wc -l <"$tmp/calls.empty")))
[ "$more" -le 0 ] || fail "off: $more calls more: $(diff "$tmp/calls.empty" "$tmp/calls")"

# Between the program's own last call and its execve.
for way in execv execve execvp vfork-execve; do
	strace -f -o "$tmp/trace" -E LD_PRELOAD="$preload" -E HEADSTART_STATE=/nonexistent "$launch" "$way" /usr/bin/true
	awk '/headstart.disable/ { seen++ } seen == 2 && /execve\(/ { exit } seen == 2' "$tmp/trace" |
		sed '/resumed/d; s/^[0-9]* *//' >"$tmp/calls"
	[ -s "$tmp/calls" ] || fail "$way: nothing seen: $(cat "$tmp/trace")"
	grep -vE '^(openat|close)\(' "$tmp/calls" && fail "$way: other calls than open and close"
	[ "$(wc -l <"$tmp/calls")" -le 16 ] || fail "$way: $(wc -l <"$tmp/calls") calls: $(cat "$tmp/calls")"
done
exit 0
