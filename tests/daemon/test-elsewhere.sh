#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd learns programs in other mount namespaces, as those of containers and services, and carries out their plans, by the names
# that their files have outside.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
chmod 755 "$tmp" # what only root can see is not learnt
layer=$disk/layer
shared=$tmp/shared
user=65534
mkdir -p "$layer" "$shared" "$tmp/point"

# The program of daemon-lib's make_waiter, by the names that its files have in a container, or here.
make_program() { # PROGRAM DATA GO
	cc -O1 -static -DDATA="\"$2\"" -DGO="\"$3\"" -o "$1" "$HEADSTART_TEST_SOURCE/tests/daemon/waiter.c" 2>"$tmp/err" || skip "no static libc: $(cat "$tmp/err")"
}
make_program "$layer/waiter" /data /shared/go
make_program "$disk/served" "$disk/data" "$shared/go"
head -c 4000000 /dev/urandom >"$layer/data"
cp "$layer/data" "$disk/data"
sync -f "$disk"

files_of() { find "$1" -maxdepth 1 -type f; }

# A prefetcher, or who makes the plan, may still have a file mapped.
make_cold() { # FOLDER
	for try in $(seq 200); do
		! "$page" out $(files_of "$1") 2>/dev/null || return 0
		sleep 0.05
	done
	fail "pages stay in the page cache"
}

in_container() { unshare --mount "$HEADSTART_TEST_SOURCE/tests/daemon/enter-overlay.sh" "$tmp/point" "$layer" "$shared" "$@"; }
in_container /waiter none >"$tmp/err" 2>&1 & # there is no file of that name, and nothing is read
: >"$shared/go"
wait "$!" && fail "a program without its data succeeds"
grep -q . "$tmp/err" && skip "no overlay can be made here: $(cat "$tmp/err")"

is_learnt() { grep -q "learnt how '$1' starts\$" "$tmp/daemon-log"; }

# Starts it cold. It reads its data once the daemon's number is so, or after two seconds.
cold_start() { # NAME NUMBER FOLDER COMMAND…
	name=$1 number=$2
	make_cold "$3"
	shift 3
	rm -f "$shared/go"
	"$@" 7>&- &
	waiter=$!
	await_note "$name" "$number"
	: >"$shared/go"
	wait "$waiter"
}

learn() { # PROGRAM FOLDER COMMAND…
	program=$1 folder=$2
	shift 2
	for start in $(seq 10); do
		cold_start tracing 1 "$folder" "$@"
		for try in $(seq 160); do
			! is_learnt "$program" || return 0
			sleep 0.05
		done
	done
	fail "after $start cold starts '$program' is not learnt: $(cat /run/headstart/daemon "$tmp/daemon-log")"
}

# The data come before the program reads them, but for a piece of 64 KiB that it was waiting for when it began to be traced.
data=data
is_carried_out() { # FOLDER COMMAND…
	make_cold "$1"
	folder=$1
	shift
	rm -f "$shared/go"
	"$@" 7>&- &
	waiter=$!
	came=
	for try in $(seq 100); do
		"$page" came "$folder/$data" >"$tmp/came" || :
		[ "$(cat "$tmp/came")" -lt $(($(stat -c %s "$folder/$data") - 65536)) ] || came=1
		[ -z "$came" ] || break
		sleep 0.05
	done
	: >"$shared/go"
	wait "$waiter" || fail "the program fails"
	[ -n "$came" ]
}

# On a busy machine the daemon leaves programs in other namespaces alone for a minute when one of them has executed something slowly.
until_carried_out() { # FOLDER COMMAND…
	for start in $(seq 30); do
		! is_carried_out "$@" || return 0
	done
	fail "the plan is not carried out: $(cat "$tmp/came" /run/headstart/daemon "$tmp/daemon-log"; for plan in "$HEADSTART_STATE"/*.plan; do "$tool" show "$plan"; done)"
}

begin() {
	rm -rf "$HEADSTART_STATE"
	share_turn
	start_daemon
}

at_case_exit() {
	stop_daemon
	"$daemon" --sweep
	exec 7<&-
}

case_program_in_an_overlay_is_known_by_its_lower_layer() {
	begin
	learn "$layer/waiter" "$layer" in_container /waiter
	plan=$(echo "$HEADSTART_STATE"/waiter-*.plan)
	[ "$(stat -c %a "$plan")" = 644 ] || fail "its mode: $(ls -l "$plan")"
	"$tool" show "$plan" >"$tmp/shown"
	grep -q "$layer/data" "$tmp/shown" || fail "the plan lacks the data: $(cat "$tmp/shown")"
	! grep -q "$tmp/point" "$tmp/shown" || fail "it names the container: $(cat "$tmp/shown")"
	until_carried_out "$layer" in_container /waiter
}

# The place where it is mounted goes with the container, and a plan that names it would, too.
case_overlay_that_is_mounted_outside_is_known_by_its_lower_layer() {
	begin
	mkdir -p "$tmp/upper" "$tmp/merged"
	mount -t tmpfs tmpfs "$tmp/upper"
	mkdir "$tmp/upper/files" "$tmp/upper/work"
	mount -t overlay -o "lowerdir=$layer,upperdir=$tmp/upper/files,workdir=$tmp/upper/work" overlay "$tmp/merged"
	export MERGED=$tmp/merged
	learn "$layer/waiter" "$layer" in_container /waiter
	until_carried_out "$layer" in_container /waiter
	unset MERGED
	umount "$tmp/merged" "$tmp/upper"
	# Another container of the same image.
	until_carried_out "$layer" in_container /waiter
}

# What an interpreter was asked for is found by the paths in the container.
case_host_in_a_container_is_told_apart_by_what_it_hosts() {
	mkdir -p "$tmp/hosts"
	printf '[waiter]\noperand = file\n' >"$tmp/hosts/waiter.conf"
	export HEADSTART_HOSTS=$tmp/hosts
	echo script >"$layer/script"
	head -c 3000000 /dev/urandom >"$layer/data-script"
	sync -f "$layer"
	begin
	data=data-script
	learn "$layer/waiter" "$layer" in_container /waiter script
	[ "$(ls "$HEADSTART_STATE" | grep -c '@.*plan$')" = 1 ] || fail "no plan of the start: $(ls "$HEADSTART_STATE")"
	until_carried_out "$layer" in_container /waiter script
	rm "$layer/script" "$layer/data-script"
	unset HEADSTART_HOSTS
	data=data
}

# What only root can reach nobody else need know of.
case_plan_of_a_closed_container_is_roots_alone() {
	begin
	mkdir -m 700 "$disk/closed"
	mv "$layer" "$disk/closed/layer"
	layer=$disk/closed/layer
	learn "$layer/waiter" "$layer" in_container /waiter
	plan=$(echo "$HEADSTART_STATE"/waiter-*.plan)
	[ "$(stat -c %a "$plan")" = 600 ] || fail "its mode: $(ls -l "$plan")"
	until_carried_out "$layer" in_container /waiter
	mv "$layer" "$disk/layer"
	rmdir "$disk/closed"
}

# As systemd's services with ProtectSystem= and the like.
case_program_with_mounts_of_its_own_is_known_by_its_name() {
	begin
	learn "$disk/served" "$disk" unshare --mount "$disk/served"
	until_carried_out "$disk" unshare --mount "$disk/served"
	# It is the same program as outside.
	until_carried_out "$disk" "$disk/served"
}

case_program_below_another_root_is_known_by_its_name_outside() {
	begin
	mkdir -p "$disk/shared"
	mount --bind "$shared" "$disk/shared"
	make_program "$disk/rooted" /data /shared/go
	sync -f "$disk"
	learn "$disk/rooted" "$disk" chroot "$disk" /rooted
	until_carried_out "$disk" chroot "$disk" /rooted
	umount "$disk/shared"
	rm "$disk/rooted"
}

# A user's sandbox: what it does is charged to the user, and its mounts of the same files have their names.
case_program_in_a_users_namespace_has_its_plan() {
	sandbox="setpriv --reuid $user --regid $user --clear-groups -- unshare --user --map-root-user --mount"
	$sandbox true 2>/dev/null || {
		untried "no user namespaces here"
		return 0
	}
	begin
	chmod 777 "$shared"
	learn "$disk/served" "$disk" $sandbox "$disk/served"
	until_carried_out "$disk" $sandbox "$disk/served"
}

# Whoever makes an overlay in a namespace of their own says what its layers are. That is not believed.
case_overlay_of_a_user_has_no_names() {
	sandbox="setpriv --reuid $user --regid $user --clear-groups -- unshare --user --map-root-user --mount"
	mkdir -p "$tmp/theirs"
	for_others "$HEADSTART_TEST_SOURCE/tests/daemon/enter-overlay.sh"
	in_sandbox() { $sandbox "$others/enter-overlay.sh" "$tmp/theirs" "$layer" "$shared" "$@"; }
	rm -f "$shared/go"
	in_sandbox /waiter none 2>"$tmp/err" &
	: >"$shared/go"
	wait "$!" || :
	! grep -q . "$tmp/err" || {
		untried "a user can make no overlay here"
		return 0
	}
	begin
	learn "$layer/waiter" "$layer" in_container /waiter
	for start in 1 2 3; do
		! is_carried_out "$layer" in_sandbox /waiter || fail "the plan is carried out"
	done
	until_carried_out "$layer" in_container /waiter
}

run_cases
