#!/bin/sh
# When a unit of Type=forking without PIDFile= has started, systemd takes the process that is left for its main process. So a
# daemon that starts a planned cold program meanwhile must not leave a prefetcher there. This test uses a real manager, for the
# units of a user.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/systemd-lib.sh"
have_systemd || skip "no systemd"
cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/own/slow"
mkfifo "$tmp/own/begun" "$tmp/own/go" "$tmp/ready"
begin_units

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
cat >"$tmp/start" <<'INSIDE'
systemctl --user start daemon.service
systemctl --user show daemon.service -p MainPID -p ActiveState
systemctl --user stop daemon.service
INSIDE
started_by_systemd() { # ENVIRONMENT…
	unit "$@"
	rm -f "$log" "$tmp/daemon.pid"
	make_cold
	manage "$tmp/start"
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
