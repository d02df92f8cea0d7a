#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording by sudo, as from a terminal of a desktop: the command gets what the user has, of the user's session too, and root's
# own programs get none of it. What the recorder says and what the command writes do not mix.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"
can_record
chmod 755 "$tmp"
user=65534
name=$(id -un $user) || skip "there is no user $user"
mkdir "$tmp/users" "$tmp/run"
: >"$tmp/run/wayland-0"
: >"$tmp/run/bus"
chown -R $user "$tmp/users" "$tmp/run"
as_user="setpriv --reuid $user --regid $user --clear-groups"
for_others "$tool"

# The user's own program, in a folder of the user's PATH.
cat >"$tmp/users/own-program" <<END
#!/bin/sh
env >"$tmp/users/found"
END
chmod 755 "$tmp/users/own-program"

# Runs sudo as the user who may do everything, on a machine of its own: /etc is nobody else's there.
with_sudo() {
	printf 'Defaults !lecture\nDefaults secure_path="/usr/sbin:/usr/bin:/sbin:/bin"\n%s ALL=(ALL) NOPASSWD: ALL\n' "$name" >"$tmp/sudoers"
	chmod 440 "$tmp/sudoers"
	unshare --mount --propagation private sh -c 'mount --bind "$1" /etc/sudoers && shift && exec "$@"' sh "$tmp/sudoers" \
		$as_user env -i PATH="$tmp/users:/usr/bin:/bin" HOME=/ sh -c 'env "$@"; exit $?' sh "$@" # the user's shell
}
session="WAYLAND_DISPLAY=wayland-0 XDG_RUNTIME_DIR=$tmp/run DBUS_SESSION_BUS_ADDRESS=unix:path=$tmp/run/bus XDG_SESSION_TYPE=wayland"

case_sudo_keeps_the_users_session() {
	have sudo || return 0
	with_sudo sudo -n true 2>"$tmp/err" || skip "sudo does not work here: $(cat "$tmp/err")"
	rm -f "$tmp/users/found"
	with_sudo $session SECRET=1 LD_LIBRARY_PATH="$tmp/users" sudo -n "HEADSTART_STATE=$HEADSTART_STATE" "$others/headstart-tool" record --quiet --no-drop \
		--keep-read-ahead -o "$tmp/profile" -- own-program 2>"$tmp/err" || fail "no recording: $(cat "$tmp/err")"
	for variable in $session "PATH=$tmp/users:/usr/bin:/bin" "USER=$name"; do
		grep -qxF "$variable" "$tmp/users/found" || fail "without $variable: $(cat "$tmp/users/found")"
	done
	! grep -E '^(SECRET|LD_LIBRARY_PATH|SUDO_|HEADSTART_STATE)' "$tmp/users/found" || fail "more went along"
	"$tool" show --json "$tmp/profile" | grep -qF "$tmp/users/own-program" || fail "another program was recorded"
}

# Sockets that are not the user's stay behind, whoever names them.
case_sockets_of_others_stay_behind() {
	have sudo || return 0
	with_sudo sudo -n true 2>/dev/null || skip "sudo does not work here"
	mkdir -p "$tmp/roots"
	: >"$tmp/roots/wayland-0"
	: >"$tmp/roots/bus"
	for address in "unix:path=$tmp/roots/bus" "unix:path=$tmp/run/bus;unix:path=$tmp/roots/bus" "tcp:host=localhost,port=1"; do
		with_sudo WAYLAND_DISPLAY="$tmp/roots/wayland-0" XDG_RUNTIME_DIR="$tmp/roots" DBUS_SESSION_BUS_ADDRESS="$address" \
			sudo -n "HEADSTART_STATE=$HEADSTART_STATE" "$others/headstart-tool" record --quiet --no-drop --keep-read-ahead -o "$tmp/profile" -- own-program ||
			fail "no recording"
		! grep -E '^(WAYLAND|XDG_RUNTIME|DBUS)' "$tmp/users/found" || fail "a stranger's socket"
	done
}

# at_terminal COMMAND…: runs it at a terminal, whose screen goes to $tmp/screen.
at_terminal() {
	/usr/bin/python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" >"$tmp/screen" </dev/null ||
		fail "'$*': $(cat "$tmp/screen")"
}
record_as_user() {
	at_terminal "$tool" record --no-drop --keep-read-ahead --user "$name" -o "$tmp/profile" "$@"
}

case_progress_keeps_apart_from_the_output() {
	record_as_user -- sh -c 'printf abc; sleep 1; printf "def\n"; sleep 1; echo ghi; printf end'
	grep -q abcdef "$tmp/screen" || fail "progress stands in the middle of a line: $(cat -v "$tmp/screen")"
	# Shown while the command is silent at the beginning of a line, and gone before the next one.
	/usr/bin/python3 - "$tmp/screen" <<'END' || fail "not kept apart: $(cat -v "$tmp/screen")"
import re, sys
screen = open(sys.argv[1], "rb").read()
assert b"headstart: recording, " in screen, "no progress"
for line in screen.split(b"\r\n"):
    shown = line.split(b"\r\x1b[K")[-1]
    assert not (b"ghi" in shown and b"recording" in shown), line
    assert not (shown.startswith(b"end") and b"headstart" in shown), line
END
	grep -q "^headstart: [0-9,]* files\{0,1\}, " "$tmp/screen" || fail "the summary begins in the middle of a line: $(cat -v "$tmp/screen")"
}

# Root's own command writes to the terminal by itself.
case_no_progress_beside_root_s_own_command() {
	at_terminal "$tool" record --no-drop --keep-read-ahead -o "$tmp/profile" -- sh -c 'printf abc; sleep 1; echo def'
	grep -q "abcdef" "$tmp/screen" || fail "progress stands in a line: $(cat -v "$tmp/screen")"
}

# As root it would run with what the user has set.
case_caller_without_a_name_runs_nothing_as_root() {
	refuses 1 "user 4000000, who called sudo, is not known here: give --user NAME, or --user root" \
		env SUDO_UID=4000000 "$tool" record --no-drop -o "$tmp/unnamed" -- touch "$tmp/touched"
	[ ! -e "$tmp/touched" ] && [ ! -e "$tmp/unnamed" ] || fail "it ran all the same"
}

case_recorder_says_how_to_end() {
	record_as_user -- true
	grep -q "recording until 'true' and all that it started have ended: quit it as soon as it is ready" "$tmp/screen" || fail "exit"
	record_as_user --until idle:0.2 --kill -- sleep 100
	grep -q "recording until 'sleep' has touched nothing for 0.2 s; it is ended then" "$tmp/screen" || fail "idle"
	record_as_user --until time:0.2 --kill -- sleep 100
	grep -q "recording for 0.2 s; 'sleep' is ended then" "$tmp/screen" || fail "time"
	"$tool" record --no-drop --keep-read-ahead -o "$tmp/profile" -- true 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	! grep "recording until" "$tmp/err" || fail "told where nobody is at a terminal"
}

run_cases
