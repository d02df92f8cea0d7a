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

# manage SCRIPT [ARGUMENT…]: runs a manager of $units, in a mount namespace with a /run of its own and in a cgroup of its own, and beside
# it the script, which reaches it by systemctl --user. What that prints is in $tmp/seen and $tmp/err, what the manager prints in
# $tmp/manager.log, and the exit status in $status. Skips where no manager runs.
manage() {
	cgroup2 manager.service || skip "no cgroup can be made here"
	folders=$cgroup
	! cgroup1 name=systemd manager.service || folders="$folders $cgroup"
	status=0
	gathering timeout 300 unshare --mount --propagation private $(in_cgroups $folders) sh "$tmp/manage" $manager "$tmp" "$units" "$@" \
		>"$tmp/seen" 2>"$tmp/err" 7>&- || status=$?
	[ "$status" != 75 ] || skip "no systemd manager runs here: $(tail -1 "$tmp/manager.log")"
}
cat >"$tmp/manage" <<'INSIDE'
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
export XDG_RUNTIME_DIR=/run/user/0 HOME="$2" SYSTEMD_UNIT_PATH="$3"
"$1" --user >"$2/manager.log" 2>&1 &
manager=$!
trap 'kill -9 $manager; exit 143' TERM
for attempt in $(seq 1000); do
	systemctl --user is-system-running >/dev/null 2>&1 && break
	kill -0 $manager || exit 75
	sleep 0.05
done
shift 3
sh "$@"
status=$?
kill -9 $manager
wait $manager
exit $status
INSIDE
