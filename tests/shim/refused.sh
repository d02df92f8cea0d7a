#!/bin/sh
# Where the shim must do nothing, it does nothing: HEADSTART=off, the kill switch, seccomp, AT_SECURE, pid 1, no /proc.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

make_plan
# ld.so needs /proc for $ORIGIN.
started_plainly="env -i LD_LIBRARY_PATH=$place LD_AUDIT=$audit HEADSTART_STATE=$state HEADSTART_LOG=$log HEADSTART_PREFETCH=/bin/true"

# Runs the command behind the folder, "$@", in a private mount namespace.
in_mounts() {
	unshare --mount --propagation private sh -c "$@"
}

# The control: without a reason against it, the shim acts.
case_cold_start_starts_the_prefetcher() {
	acts() {
		cold shimmed HEADSTART="$1" HEADSTART_PREFETCH=/nonexistent "$look"
		grep -q started "$log" || fail "$1: nothing is done to begin with"
	}
	until_undisturbed acts plan
	until_undisturbed acts whole
}

case_switched_off_nothing_is_done() {
	cold shimmed HEADSTART=off "$look"
	nothing_done
}

# These filters are fatal: any call of the shim that ld.so itself does not need kills the program.
case_under_seccomp_nothing_is_done() {
	for mode in plan whole; do
		for action in kill trap errno; do
			what="$mode, seccomp $action"
			cold shimmed HEADSTART="$mode" "$built/filtered" "$action" "$look"
			nothing_done
		done
	done
	! "$built/filtered" kill "$built/filtered" probe || fail "the filter does not kill"
}

# The filters have to let readlinkat through, which ld.so calls: the shim adds no such call to those that there are without it. strace itself
# has no shim: it may be cold, too, where memory is short.
case_under_seccomp_no_link_is_read() {
	can_trace || skip "no strace, or it cannot trace here"
	for mode in plan whole; do
		for switch in off $mode; do
			what="$switch, seccomp errno, traced"
			in_front="strace -qq -e trace=?readlink,readlinkat -o $tmp/links.$switch"
			cold shimmed HEADSTART="$switch" "$built/filtered" errno "$look"
			in_front=
			nothing_done
			sed -i 's/0x[0-9a-f]*/ADDRESS/' "$tmp/links.$switch"
		done
		cmp -s "$tmp/links.off" "$tmp/links.$mode" || fail "$mode: $(diff "$tmp/links.off" "$tmp/links.$mode")"
	done
}

case_kill_switch_is_obeyed() {
	needs_mounts
	mkdir -p "$tmp/etc/headstart"
	touch "$tmp/etc/headstart/disable"
	cold in_mounts 'mount -t overlay overlay -o "lowerdir=$1:/etc" /etc || exit 77; shift; "$@"' sh "$tmp/etc" \
		$started_plainly "$look"
	[ "$status" != 77 ] || skip "no overlay can be mounted on /etc"
	nothing_done
}

case_as_pid_1_nothing_is_done() {
	needs_mounts
	cold unshare --pid --fork --mount-proc $started_plainly "$look"
	nothing_done
}

case_without_proc_nothing_is_done() {
	needs_mounts
	cold in_mounts 'mount -t tmpfs none /proc; "$@"' sh $started_plainly "$look"
	nothing_done
}

case_read_only_proc_is_enough() {
	needs_mounts
	enough() {
		cold in_mounts 'mount -o remount,bind,ro /proc; "$@"' sh $started_plainly "$look"
		[ "$status" = 7 ] || fail "exit status $status"
		grep -q started "$log" || fail "nothing is done"
	}
	until_undisturbed enough
}

# ld.so loads an auditor into a set-user-ID program only from the system's folders, and only if the auditor is set-user-ID itself.
# An overlay puts one there. strace shows that ld.so loads it, and that it does nothing.
case_in_a_set_user_id_program_nothing_is_done() {
	needs_mounts
	can_trace || skip "no strace, or it cannot trace here"
	libc=$(ldd "$look" | awk '$1 == "libc.so.6" { print $3 }')
	folder=$(dirname "$(readlink -f "$libc")")
	mkdir "$tmp/lib"
	cp "$audit" $libraries "$tmp/lib"
	chmod u+s "$tmp/lib/libheadstart-audit.so"
	chown 12345 "$look"
	chmod u+s "$look"
	chmod 755 "$tmp" "$place"
	cold in_mounts 'mount -t overlay overlay -o "lowerdir=$1:$2" "$2" || exit 77; shift 2; "$@"' sh "$tmp/lib" "$folder" \
		strace -f -o "$tmp/trace" env -i LD_AUDIT=libheadstart-audit.so HEADSTART_STATE="$state" "$look"
	[ "$status" = 7 ] || fail "exit status $status: $(cat "$tmp/err")"
	grep -q 'openat.*libheadstart-audit.so.*= [0-9]' "$tmp/trace" || fail "the shim was not loaded"
	! sed '1,/execve.*look/d' "$tmp/trace" | grep -E '/etc/headstart|openat2|preadv2' || fail "it did something"
	nothing_done
}

run_cases
