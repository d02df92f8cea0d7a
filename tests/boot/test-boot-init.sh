#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart-init, the first program of a machine: whatever happens before, the real init gets the first process, with the arguments and
# the environment of the kernel. Each case boots a root folder of its own, as pid 1 of a pid namespace.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/boot/boot-lib.sh"
head -c 700000 /dev/urandom >"$disk/first"
mkdir -p "$HEADSTART_STATE/boot"
wants=etc/systemd/system/sysinit.target.wants

# A root without any init, in which our programs, the disk and $tmp have their own paths.
root=$tmp/root
mkdir "$root"
for folder in dev proc sys etc run usr "$tmp" "$HEADSTART_TEST_BUILD"; do
	mkdir -p "$root/$folder"
done
for folder in bin lib lib64 lib32 libx32; do
	[ ! -L "/$folder" ] || cp -P "/$folder" "$root/$folder"
done
[ -L "$root/bin" ] || skip "/bin is no link to /usr/bin here"
for folder in dev sys run usr "$tmp" "$disk" "$HEADSTART_TEST_BUILD"; do
	mount --rbind "/$folder" "$root/$folder"
done
own=$tmp/own # our program under its second name; cases put a tool beside it
mkdir "$own"
cp "$headstart" "$own/headstart"
ln -s headstart "$own/headstart-init"

# The init of the cases. What it says proves that it was executed, how, and as which process.
cat >"$tmp/init" <<END
#!/bin/sh
echo "init: pid \$\$: \$*: \${word-}" >>"$tmp/became"
END
chmod 755 "$tmp/init"

unmount_kernel_file_systems() {
	while umount "$root/proc" 2>/dev/null; do :; done
}

# boot PROGRAM [WORD…]: as the kernel does, with these words of its command line, NAME=VALUE as environment. What the last boot mounted
# has gone with it.
boot_with() {
	rm -f "$tmp/became"
	unmount_kernel_file_systems
	unshare --pid --fork --kill-child chroot "$root" /usr/bin/env "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
}
boot() { # [NAME=VALUE…] PROGRAM [ARGUMENT…]
	boot_with container=test "headstart_init=$tmp/init" "$@" || fail "it failed: $(cat "$tmp/err")"
}
becomes() { # WHAT
	[ "$(cat "$tmp/became" 2>/dev/null)" = "init: pid 1: $1" ] || fail "the init was not as it should: $(cat "$tmp/became" "$tmp/err" 2>&1)"
}

# tool SCRIPT: stands for headstart-tool, which records.
tool() {
	printf '#!/bin/sh\n%s\n' "$1" >"$own/headstart-tool"
	chmod 755 "$own/headstart-tool"
}
enable() {
	mkdir -p "$root/$wants"
	ln -s /nowhere "$root/$wants/headstart-boot-record.service"
}

case_the_plan_is_carried_out() {
	is_read() {
		cat "$disk/first" >/dev/null
		"$tool" snapshot -o "$plan" "$disk/first" >"$tmp/out" 2>"$tmp/err" || fail "snapshot: $(cat "$tmp/err")"
		make_disk_cold
		umount "$root/$disk"
		mount --bind "$disk" "$root/$disk"
		boot "$own/headstart-init"
		becomes ": "
		says "asked for 0.7 MB in 1 file"
		"$page" came "$disk/first" >"$tmp/out" || fail "not all has come: $(cat "$tmp/out")"
		umount "$root/$disk"
	}
	# Whatever runs beside the init of a namespace ends with it.
	cat >"$tmp/init" <<END
#!/bin/sh
for try in \$(seq 300); do
	"$page" came "$disk/first" >/dev/null && break
	sleep 0.1
done
echo "init: pid \$\$: \$*: \${word-}" >>"$tmp/became"
END
	until_undisturbed is_read
}

case_arguments_and_environment_are_passed_on() {
	boot word=given "$own/headstart-init" splash -- "two words"
	becomes "splash -- two words: given"
}

case_without_a_plan_or_with_a_bad_one() {
	rm -f "$plan"
	boot "$own/headstart-init"
	becomes ": "
	says "there is no plan of a boot yet"
	head -c 5000 /dev/urandom >"$plan"
	boot "$own/headstart-init"
	becomes ": "
	says "'$plan'"
	rm "$plan"
}

case_no_process_can_be_made() {
	# The limit counts all processes of a user, so this user is nobody else's.
	printf '#!/bin/sh\nexec setpriv --reuid %d --clear-groups prlimit --nproc=1 "$@"\n' $((100000 + $$)) >"$tmp/limited"
	chmod 755 "$tmp/limited"
	mkdir "$tmp/open"
	chmod 711 "$tmp"
	cat >"$tmp/init-of-nobody" <<'END'
#!/bin/sh
echo "pid $$"
END
	chmod 755 "$tmp/init-of-nobody"
	boot "headstart_init=$tmp/init-of-nobody" "$tmp/limited" "$own/headstart-init"
	[ "$(cat "$tmp/out")" = "pid 1" ] || fail "the init was not executed: $(cat "$tmp/out" "$tmp/err")"
}

case_nobody_has_mounted_proc() {
	unmount_kernel_file_systems
	rmdir "$root/proc" || fail "the root has a /proc"
	boot "$own/headstart-init"
	becomes ": "
	mkdir "$root/proc"
	printf '#!/bin/sh\n[ ! -d /proc/self ] || echo "init: pid $$: proc"' >"$tmp/other"
	chmod 755 "$tmp/other"
	boot "headstart_init=$tmp/other" "$own/headstart-init"
	[ "$(cat "$tmp/out")" = "init: pid 1: proc" ] || fail "/proc was not mounted: $(cat "$tmp/out" "$tmp/err")"
}

# It waits for the recorder only for some time.
case_it_records_if_that_is_enabled() {
	records() {
		boot headstart=record "$own/headstart-init"
		[ "$(cat "$tmp/became")" = "tool: boot record --first
init: pid 1: : " ] || fail "not recorded first: $(cat "$tmp/became" "$tmp/err")"
	}
	tool "echo \"tool: \$*\" >>'$tmp/became'"
	boot headstart=record "$own/headstart-init"
	becomes ": "
	enable
	until_undisturbed records
	boot "$own/headstart-init" # in a container
	becomes ": "
	boot_with "headstart_init=$tmp/init" "$own/headstart-init" || fail "$(cat "$tmp/err")" # in one that does not say so
	becomes ": "
	mkdir -p "$root/etc/systemd/system"
	ln -s /dev/null "$root/etc/systemd/system/headstart-boot-record.service" # masked
	boot headstart=record "$own/headstart-init"
	becomes ": "
	rm "$root/etc/systemd/system/headstart-boot-record.service"
	ln -s /nowhere "$root/etc/system-update" # packages are installed in this boot, and then the machine boots anew
	boot headstart=record "$own/headstart-init"
	becomes ": "
	rm "$root/etc/system-update"
}

case_a_recorder_that_is_ready_goes_on() {
	command -v python3 >/dev/null || skip "no python3"
	goes_on() {
		boot headstart=record "$own/headstart-init"
		[ "$(cat "$tmp/became")" = "init
recorded" ] || fail "the recorder did not go on beside the init: $(cat "$tmp/became" "$tmp/err")"
	}
	mkfifo "$tmp/go"
	cat >"$own/headstart-tool" <<END
#!/usr/bin/python3
import os, socket, time
try:
	said = time.monotonic()
	socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", "\0" + os.environ["NOTIFY_SOCKET"][1:])
	late = ""
except OSError:
	late = ", and was ready too late"
open("$tmp/go").read()
if time.monotonic() - said > 3:
	late = ", and nobody heard that it was ready"
open("$tmp/became", "a").write("recorded" + late + "\n")
END
	cat >"$tmp/init" <<END
#!/bin/sh
echo init >>"$tmp/became"
echo >"$tmp/go"
until grep -q recorded "$tmp/became"; do :; done
END
	until_undisturbed goes_on
}

case_a_recorder_that_fails() {
	printf '#!/bin/sh\necho "init: pid $$: $*: ${word-}" >>"%s"\n' "$tmp/became" >"$tmp/init"
	for script in 'exit 1' 'kill -SEGV $$' 'kill -KILL $$' 'exec sleep 1000'; do
		tool "$script"
		boot headstart=record "$own/headstart-init"
		becomes ": "
	done
	rm "$own/headstart-tool"
	[ -x "$(defined HEADSTART_PRIVATE_DIR)/headstart-tool" ] || {
		boot headstart=record "$own/headstart-init"
		becomes ": "
		says "cannot start"
	}
	rm "$root/$wants/headstart-boot-record.service"
}

case_the_kernels_own_list_of_inits() {
	boot_with headstart_init=/nowhere/init "$own/headstart-init" -c "echo pid \$\$ >'$tmp/became'" || fail "$(cat "$tmp/err")"
	says "cannot execute '/nowhere/init'"
	[ "$(cat "$tmp/became")" = "pid 1" ] || fail "/bin/sh was not executed: $(cat "$tmp/err")"
	ln -s "$own/headstart-init" "$root/etc/init"
	boot_with "$own/headstart-init" -c "echo pid \$\$ >'$tmp/became'" || fail "$(cat "$tmp/err")"
	[ "$(cat "$tmp/became")" = "pid 1" ] || fail "it executes itself: $(cat "$tmp/err")"
	rm "$root/etc/init"
}

case_only_as_the_first_process() {
	status=0
	"$own/headstart-init" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = 2 ] || fail "status $status, not 2"
	says "usage: init="
	"$own/headstart-init" --help | grep -q "headstart-init(8)" || fail "no help"
}
run_cases
