# Shared by tests of units: a real systemd, as the manager of a user's units. Source it after cgroup-lib.sh.
manager=/lib/systemd/systemd
have_systemd() { [ -x $manager ] && command -v systemctl >/dev/null; }

# Makes the folder $units, with the targets that a manager needs; the test puts its units there.
begin_units() {
	units=$tmp/units
	mkdir "$units"
	for target_unit in default shutdown sockets sysinit basic; do
		printf '[Unit]\nDefaultDependencies=no\n' >"$units/$target_unit.target"
	done
}

# In a mount namespace with a /run of its own: starts a manager of the units in FOLDER, which systemctl --user reaches from then on, and
# sets $manager_pid. Returns 1 where no manager runs.
cat >"$tmp/manager" <<'INSIDE'
begin_manager() { # MANAGER FOLDER HOME [COMMAND that starts its arguments…]
	mkdir -p /run/systemd/system /run/user/0
	chmod 700 /run/user/0
	export XDG_RUNTIME_DIR=/run/user/0
	program=$1 folder=$2 home=$3
	shift 3
	HOME=$home SYSTEMD_UNIT_PATH=$folder "$@" "$program" --user >"$home/manager.log" 2>&1 7>&- &
	manager_pid=$!
	for attempt in $(seq 1000); do
		systemctl --user is-system-running >/dev/null 2>&1 && return 0
		kill -0 $manager_pid || return 1
		sleep 0.05
	done
}
INSIDE
. "$tmp/manager"

# Makes the cgroups of a manager, and sets $in_manager to what must stand in front of it.
make_manager_cgroups() {
	cgroup2 manager.service || skip "no cgroup can be made here"
	folders=$cgroup
	! cgroup1 name=systemd manager.service || folders="$folders $cgroup"
	in_manager=$(in_cgroups $folders)
}

# manage SCRIPT [ARGUMENT…]: runs a manager of $units, in a mount namespace with a /run of its own and in a cgroup of its own, and beside
# it the script, which reaches it by systemctl --user. What that prints is in $tmp/seen and $tmp/err, what the manager prints in
# $tmp/manager.log, and the exit status in $status. Skips where no manager runs.
manage() {
	make_manager_cgroups
	status=0
	gathering timeout 300 unshare --mount --propagation private $in_manager sh "$tmp/manage" $manager "$tmp" "$units" "$@" \
		>"$tmp/seen" 2>"$tmp/err" 7>&- || status=$?
	[ "$status" != 75 ] || skip "no systemd manager runs here: $(tail -1 "$tmp/manager.log")"
}
cat >"$tmp/manage" <<'INSIDE'
mount -t tmpfs -o mode=755 tmpfs /run
. "$2/manager"
trap 'kill -9 $manager_pid; exit 143' TERM
begin_manager "$1" "$3" "$2" || exit 75
shift 3
sh "$@"
status=$?
kill -9 $manager_pid
wait $manager_pid
exit $status
INSIDE
