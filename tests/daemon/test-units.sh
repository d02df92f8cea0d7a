#!/bin/sh
# SPDX-License-Identifier: MIT
# The units of headstartd: systemd finds nothing wrong with them, and rates them as exposed no more than this.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
HIGHEST=4.0 # of 10
command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
packaging=$HEADSTART_TEST_SOURCE/packaging

# Where the programs are not installed, another one stands for them.
for unit in headstartd.service headstart-keep@.service; do
	sed 's,^\(Exec.*=-\?\)@private@/[a-z-]*,\1/bin/true,' "$packaging/$unit.in" >"$tmp/$unit"
done
cp "$packaging/headstart-keep.socket" "$tmp"

case_systemd_finds_nothing_wrong() {
	for unit in headstartd.service headstart-keep@.service headstart-keep.socket; do
		systemd-analyze --man=no verify "$tmp/$unit" >"$tmp/out" 2>&1 || fail "$unit: $(cat "$tmp/out")"
		! grep headstart "$tmp/out" || fail "systemd has remarks on $unit"
	done
}

case_no_unit_is_more_exposed_than_allowed() {
	for unit in headstartd.service headstart-keep@.service; do
		systemd-analyze security --offline=true --no-pager "$tmp/$unit" >"$tmp/out" 2>"$tmp/err" || skip "systemd-analyze cannot rate a file: $(cat "$tmp/err")"
		rating=$(sed -n 's/.*exposure level for .*: \([0-9.]*\).*/\1/p' "$tmp/out")
		[ -n "$rating" ] || fail "$unit has no rating: $(cat "$tmp/out")"
		echo "$unit: $rating"
		echo "$rating $HIGHEST" | awk '{ exit !($1 <= $2) }' || fail "$unit is rated $rating: $(grep ✗ "$tmp/out")"
	done
}

# A daemon in a mount namespace sees other names than programs do.
case_no_unit_has_a_mount_namespace() {
	for unit in headstartd.service headstart-keep@.service; do
		! grep -q '^PrivateNetwork=' "$tmp/$unit" || grep -qx 'PrivateMounts=no' "$tmp/$unit" || fail "$unit has a network and mounts of its own"
		! grep -v '^PrivateMounts=no$' "$tmp/$unit" | grep -E '^(Private(Tmp|Devices|Mounts)|Protect(System|Home|Proc|Kernel[A-Za-z]*|ControlGroups)|ProcSubset|Root[A-Za-z]*|(Read|NoExec|Exec|Inaccessible|Bind)[A-Za-z]*Path[A-Za-z]*|TemporaryFileSystem|MountAPIVFS|MountFlags|DynamicUser)=' ||
			fail "$unit needs a mount namespace"
	done
}

# systemd answers ENOSYS to openat2(2) under these (seccomp_restrict_sxid() of its src/shared/seccomp-util.c).
case_no_unit_takes_openat2_away() {
	set -- "$packaging"/*.service.in
	[ $# = 5 ] || fail "these are the units: $*"
	! grep -E '^(RestrictSUIDSGID|DynamicUser)=' "$@" || fail "a unit takes openat2 away"
}

case_a_daemon_that_cannot_work_is_given_up() {
	grep -qx 'ConditionVirtualization=!container' "$tmp/headstartd.service" || fail "it is started in containers"
	setting() { sed -n "s/^$1=//p" "$tmp/headstartd.service"; }
	[ $((($(setting RestartSec) + 1) * $(setting StartLimitBurst))) -lt "$(setting StartLimitIntervalSec)" ] ||
		fail "it is started again for ever"
}

case_only_the_unit_of_users_processes_can_become_users() {
	! grep -E 'SETUID|SETGID|CAP_KILL|@setuid' "$tmp/headstartd.service" || fail "headstartd.service can"
	grep -qx 'CapabilityBoundingSet=CAP_SETUID CAP_SETGID' "$tmp/headstart-keep@.service" || fail "headstart-keep@.service has other capabilities"
}

# A prefetcher's workers count as tasks. Its deepest queue of opens decides how many there are.
case_tasks_suffice_for_all_prefetchers_at_once() {
	helpers=$(sed -n 's/^#define CARRY_HELPERS *//p' "$HEADSTART_TEST_SOURCE/tools/headstartd/carry/carry.h")
	depth=$(sed -n 's/.*\.open_depth = \([0-9]*\),/\1/p' "$HEADSTART_TEST_SOURCE/src/prefetch/prefetch.c" | sort -n | tail -n 1)
	most=$(sed -n 's/^TasksMax=//p' "$tmp/headstartd.service")
	# 100 more: another prefetcher, which warms; planners; and 32 that stay free
	[ "$most" -ge $((helpers * (1 + depth) + 100)) ] || fail "$most tasks are too few for $helpers prefetchers with $depth workers each"
}

case_daemon_connects_where_systemd_listens() {
	path=$(sed -n 's/^#define DAEMON_FOLDER *"\(.*\)"/\1/p' "$HEADSTART_TEST_SOURCE/src/base/texts/daemon-note.h")$(sed -n 's/^#define KEEP_SOCKET DAEMON_FOLDER "\(.*\)"/\1/p' "$HEADSTART_TEST_SOURCE/tools/lib/programs/keep-request.h")
	grep -qx "ListenSequentialPacket=$path" "$tmp/headstart-keep.socket" || fail "the daemon connects to '$path': $(cat "$tmp/headstart-keep.socket")"
	grep -qx "SocketMode=0600" "$tmp/headstart-keep.socket" || fail "others may connect"
	grep -qx "Wants=headstart-keep.socket" "$tmp/headstartd.service" || fail "the daemon does not want it"
}

run_cases
