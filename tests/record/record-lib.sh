# Shared by the recorder's tests: programs on a disk of their own, and checks for what recording needs. Source it after sh-lib.sh.
[ "$(id -u)" = 0 ] || skip "recording needs root"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/programs/programs-lib.sh"
take_turn
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
recorders= # process ids of the ones started in the background
export HEADSTART_STATE=$tmp/state

# Prints the state that a recorder changes: read-ahead of the disk made here, and tracing instances of this test. Others may be at
# work on this machine, so nothing else counts.
machine_state() {
	mkdir -p "$tmp/tracefs"
	mount -t tracefs tracefs "$tmp/tracefs" 2>/dev/null || :
	for pid in $recorders; do
		ls "$tmp/tracefs/instances" | grep "^headstart-$pid\$" || :
	done
	umount "$tmp/tracefs" 2>/dev/null || :
	cat "/sys/class/bdi/$(mountpoint -d "$disk")/read_ahead_kb"
}

# Runs a recorder, and runs it again for as long as somebody else on the machine records.
alone() {
	while :; do
		alone_status=0
		"$@" 2>"$tmp/alone" || alone_status=$?
		grep -q "another recording is running" "$tmp/alone" || break
		sleep 0.1 # it is no child of ours, so wait(2) cannot tell
	done
	cat "$tmp/alone" >&2
	return "$alone_status"
}

can_record() {
	until "$tool" record --quiet --no-drop -o "$tmp/probe" true 2>"$tmp/err"; do
		grep -q "another recording is running" "$tmp/err" || skip "no recording here: $(cat "$tmp/err")"
		sleep 0.1 # it is no child of ours, so wait(2) cannot tell
	done
}
