#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart boot prefetch: what a plan of a boot names is in memory afterwards; without a plan, with a bad one, or for somebody else it
# does nothing, and says why. The plan here is a snapshot, which a boot's is as well (docs/decisions/boot.md).
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/boot/boot-lib.sh"
head -c 700000 /dev/urandom >"$disk/first"
head -c 500000 /dev/urandom >"$disk/second"
mkdir -p "$HEADSTART_STATE/boot"

# Plans the files, which are in memory.
make_plan() { # FILE…
	until_undisturbed plan_those "$@"
}
plan_those() { # FILE…
	cat "$@" >/dev/null
	"$tool" snapshot -o "$plan" "$@" >"$tmp/out" 2>"$tmp/err" || fail "snapshot: $(cat "$tmp/err")"
}

case_what_is_planned_is_read() {
	is_read() {
		make_plan "$disk/first"
		make_disk_cold
		prefetch_boot
		says "0 of them changed or gone"
		"$page" came "$disk/first" >"$tmp/out" || fail "not all has come: $(cat "$tmp/out")"
		"$page" none "$disk/second" >"$tmp/out" || fail "a file has come that is not planned: $(cat "$tmp/out")"
	}
	until_undisturbed is_read
}

case_changed_files_are_left_out() {
	left_out() {
		make_plan "$disk/first" "$disk/second"
		cp "$disk/first" "$tmp/was"
		echo more >>"$disk/first"
		make_disk_cold
		prefetch_boot
		says "1 of them changed or gone"
		"$page" came "$disk/second" >"$tmp/out" || fail "not all has come: $(cat "$tmp/out")"
		"$page" none "$disk/first" >"$tmp/out" || fail "a file has come that has changed: $(cat "$tmp/out")"
		cp "$tmp/was" "$disk/first"
	}
	until_undisturbed left_out
}

# By it headstart-boot.service knows that headstart-init has done its work.
case_only_what_was_done_leaves_a_sign() {
	sign=/run/headstart/boot-prefetcher
	make_plan "$disk/first"
	prefetch_boot
	[ -e "$sign" ] || fail "no sign"
	rm "$sign"
	refuses 1 "more processes can be started" prlimit --nproc=1 "$headstart" boot prefetch
	[ ! -e "$sign" ] || fail "a sign of what was not done"
}

case_without_a_plan_nothing_happens() {
	rm -f "$plan"
	prefetch_boot
	says "there is no plan of a boot yet"
	rmdir "$HEADSTART_STATE/boot"
	prefetch_boot
	says "there is no plan of a boot yet"
	mkdir "$HEADSTART_STATE/boot"
}

case_plans_that_are_none_are_refused() {
	make_plan "$disk/first"
	cp "$plan" "$tmp/good"
	for offset in 0 8 16 40 100 200; do
		cp "$tmp/good" "$plan"
		damage "$plan" "$offset"
		refused "'$plan'"
	done
	head -c 100 "$tmp/good" >"$plan"
	refused "'$plan'"
	: >"$plan"
	refused "'$plan'"
	rm "$plan"
	mkdir "$plan"
	refused "'$plan'"
	rmdir "$plan"
	mkfifo "$plan"
	refused "'$plan'"
	rm "$plan"
}

case_what_others_could_have_written_is_refused() {
	make_plan "$disk/first"
	chmod 0620 "$plan"
	refused "others than root could have written it"
	chmod 0602 "$plan"
	refused "others than root could have written it"
	chmod 0600 "$plan"
	chown nobody "$plan"
	refused "others than root could have written it"
	chown root "$plan"
	mkdir "$tmp/theirs"
	cp -r "$HEADSTART_STATE/boot" "$tmp/theirs"
	chown nobody "$tmp/theirs"
	mine=$HEADSTART_STATE
	HEADSTART_STATE=$tmp/theirs
	refused "others can change"
	HEADSTART_STATE=$mine
}

case_only_root_may() {
	for_others "$headstart"
	! $as_nobody "$others/headstart" boot prefetch 2>"$tmp/err" || fail "nobody carried out the plan of a boot"
	says "only root"
}

case_systemd_is_told_whatever_happens() {
	command -v python3 >/dev/null || skip "no python3"
	make_plan "$disk/first"
	for damaged in '' yes gone; do
		[ -z "$damaged" ] || damage "$plan" 40
		[ "$damaged" != gone ] || rm "$plan"
		python3 - "$headstart" "$tmp/notify" <<'END' || fail "not told (damaged: $damaged)"
import os, socket, subprocess, sys
told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
told.bind(sys.argv[2])
subprocess.run([sys.argv[1], "boot", "prefetch"], env={**os.environ, "NOTIFY_SOCKET": sys.argv[2]}, stderr=subprocess.DEVNULL)
os.unlink(sys.argv[2])
told.setblocking(False)
assert told.recv(100) == b"READY=1"
END
	done
}

case_there_may_be_nothing_to_stop() {
	! "$headstart" boot stop 2>"$tmp/err" || fail "stopped what was not"
	says "no boot is being recorded"
}

# As systemd.offline-updates(7) says, a link marks the boot; where that leads may be mounted later.
case_unit_records_no_offline_update() {
	systemd-analyze condition ConditionPathExists=/ >/dev/null 2>&1 || { untried "no systemd-analyze(1) that knows conditions" && return 0; }
	conditions=$(sed -n "s,^\(ConditionPath.*\)=!\(.*/system-update\)\$,\1=!$tmp\2,p" "$HEADSTART_TEST_BUILD/packaging/headstart-boot-record.service")
	mkdir "$tmp/etc"
	systemd-analyze condition $conditions >"$tmp/out" 2>&1 || fail "no other boot is recorded, either: $(cat "$tmp/out")"
	for link in "$tmp/system-update" "$tmp/etc/system-update"; do
		for target in "$tmp" /nowhere; do
			ln -s "$target" "$link"
			! systemd-analyze condition $conditions >"$tmp/out" 2>&1 || fail "a boot is recorded that '${link#"$tmp"}' marks, to '$target'"
			rm "$link"
		done
	done
}

case_wrong_command_lines() {
	for wrong in "" "start" "prefetch stop" "record --timeout" "record --timeout 0" "record --timeout x" "stop --timeout 3" "prefetch --now"; do
		refuses 2 "see 'headstart boot --help'" "$headstart" boot $wrong
	done
}
run_cases
