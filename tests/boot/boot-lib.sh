# Shared by the tests of 'headstart boot': a disk, a state folder and a /run of their own. Source it after sh-lib.sh; the test begins
# again in a mount namespace of its own.
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
export HEADSTART_STATE=$tmp/state
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
profile=$HEADSTART_STATE/boot/profile
plan=$HEADSTART_STATE/boot/plan
! grep -q 'headstart=' /proc/cmdline || skip "the kernel's command line speaks of headstart"
[ ! -e /etc/headstart/disable ] || skip "headstart is switched off on this machine"
mount -t tmpfs -o mode=755 tmpfs /run
make_disk
disk=$(realpath "$disk")

# says TEXT: the last command said so.
says() { grep -qF -- "$1" "$tmp/err" || fail "expected '$1', not: $(cat "$tmp/err")"; }

# prefetch_boot: carries the plan out, which must succeed.
prefetch_boot() { "$headstart" boot prefetch >"$tmp/out" 2>"$tmp/err" || fail "prefetch: $(cat "$tmp/err")"; }

# refused: prefetch_boot fails with one sentence, not by a signal.
refused() { refuses 1 "$1" "$headstart" boot prefetch; } # TEXT

recorder=
at_case_exit() {
	[ -z "$recorder" ] || {
		kill -TERM "$recorder" 2>/dev/null || :
		wait "$recorder" || :
	}
}

# Begins to record, when no other test does: they empty the page cache.
begin() { # [OPTION…]
	take_turn
	begin_in_turn "$@"
}
begin_in_turn() { # [OPTION…]
	: >"$tmp/log" # what an earlier one has said is no sign of this one
	"$tool" boot record "$@" 2>"$tmp/log" 7>&- &
	recorder=$!
	until grep -q "recording what is read" "$tmp/log"; do
		kill -0 "$recorder" 2>/dev/null || {
			grep -q "nothing is recorded" "$tmp/log" && skip "$(cat "$tmp/log")"
			fail "the recorder has ended: $(cat "$tmp/log")"
		}
		sleep 0.05
	done
}

# Waits for the end of the recording, which must be a good one.
await_recorder() {
	await_in_turn
	exec 7<&-
}
await_in_turn() {
	wait "$recorder" || fail "the recorder failed: $(cat "$tmp/log")"
	recorder=
}
