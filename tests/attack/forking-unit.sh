#!/bin/sh
# When a unit of Type=forking without PIDFile= has started, systemd takes the process that is left for its main process. So a
# daemon that starts a planned cold program meanwhile must not leave a prefetcher there. This test uses a real manager, for the
# units of a user.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
manager=/lib/systemd/systemd
[ -x $manager ] && command -v systemctl >/dev/null || skip "no systemd"
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/own/slow"
mkfifo "$tmp/own/begun" "$tmp/own/go" "$tmp/ready"
units=$tmp/units
mkdir "$units"

# The daemon: it starts the target, says that it is ready, and stays. A prefetcher would stay as well, until it is told to go.
cat >"$tmp/daemon" <<END_OF_DAEMON
#!/bin/sh
(
	"$target" >/dev/null
	exec sh -c 'echo \$\$ >"$tmp/ready"; exec sleep 1000'
) &
read daemon <"$tmp/ready"
echo "\$daemon" >"$tmp/daemon.pid"
END_OF_DAEMON
chmod 755 "$tmp/daemon"
unit() { # ENVIRONMENT…
	printf '[Unit]\nDefaultDependencies=no\n[Service]\nType=forking\nExecStart=%s\n' "$tmp/daemon" >"$units/daemon.service"
	for setting; do
		echo "Environment=$setting" >>"$units/daemon.service"
	done
}
for target_unit in default shutdown; do
	printf '[Unit]\nDefaultDependencies=no\n' >"$units/$target_unit.target"
done

# Runs a manager and the unit in a mount namespace and a cgroup of their own, and prints what the manager says of the unit.
cat >"$tmp/manage" <<'INSIDE'
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
export XDG_RUNTIME_DIR=/run/user/0 HOME="$2" SYSTEMD_UNIT_PATH="$3"
"$1" --user >"$2/manager.log" 2>&1 &
manager=$!
trap 'kill -9 $manager; exit 143' TERM
for attempt in $(seq 1000); do
	systemctl --user is-system-running >/dev/null 2>&1 && break
	kill -0 $manager || exit 75
	sleep 0.01
done
systemctl --user start daemon.service
systemctl --user show daemon.service -p MainPID -p ActiveState
systemctl --user stop daemon.service
kill -9 $manager
wait $manager
true
INSIDE
started_by_systemd() { # ENVIRONMENT…
	unit "$@"
	cgroup2 manager.service || skip "no cgroup can be made here"
	folders=$cgroup
	! cgroup1 name=systemd manager.service || folders="$folders $cgroup"
	rm -f "$log" "$tmp/daemon.pid"
	make_cold
	status=0
	gathering timeout 60 unshare --mount --propagation private $(in_cgroups $folders) sh "$tmp/manage" $manager "$tmp" "$units" \
		>"$tmp/seen" 2>"$tmp/err" || status=$?
	[ "$status" != 75 ] || skip "no systemd manager runs here: $(tail -1 "$tmp/manager.log")"
	ends_with 0
	grep -q '^ActiveState=active$' "$tmp/seen" || fail "$what: the unit does not start: $(said)"
}
keeps_its_main_process() {
	grep -qx "MainPID=$(cat "$tmp/daemon.pid")" "$tmp/seen" ||
		fail "$what: $(grep MainPID "$tmp/seen"), and the daemon is $(cat "$tmp/daemon.pid"): $(said)"
}

case_unit_without_the_shim() {
	started_by_systemd NONE=1
	keeps_its_main_process
}

case_unit_with_the_shim() {
	started_by_systemd "$loaded" HEADSTART_STATE="$state" HEADSTART_LOG="$log" HEADSTART_PREFETCH="$tmp/own/slow"
	keeps_its_main_process
	log_lacks plan=started
	log_says plan=not-started
}

run_cases
