#!/bin/sh
# SPDX-License-Identifier: MIT
# Every user can read the name of a recording (/proc/net/unix). A mark ends the recording only if it comes from root, from the
# user as whom the command runs, or from the user who called sudo.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"
can_record
chmod 755 "$tmp"
user=65534
stranger=65533
name=$(id -un $user) || skip "there is no user $user"
recorder=
at_exit() {
	[ -z "$recorder" ] || kill "$recorder" 2>/dev/null || :
	[ ! -p "$tmp/go" ] || : 9<>"$tmp/go" # for a command that waits there
}
recording_goes_on() { # a recorder that has ended may be a zombie
	case $(cut -d ' ' -f 3 "/proc/$recorder/stat" 2>/dev/null) in
	'' | Z) return 1 ;;
	esac
}
as() { # UID: runs a copy, since the build folder may be closed to others
	setpriv --reuid="$1" --regid="$1" --clear-groups /usr/bin/python3 - "$recording" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.sendto(b"mark", b"\0headstart-record/" + sys.argv[1].encode())
END
}

start() {
	env SUDO_UID= HEADSTART_STATE="$tmp/state" "$tool" record --until "$@" --no-drop --keep-read-ahead --json -o "$tmp/profile" \
		-- sh -c 'echo begun >'"$tmp/users/begun"'; read -r word <'"$tmp/go" >"$tmp/out" 2>"$tmp/err" &
	recorder=$!
}

# Begins a recording whose command runs until somebody writes to the FIFO, and sets $recording to its name, as a stranger finds
# it. Waits for a recording of somebody else on this machine to end.
begin() { # UNTIL [OPTION…]
	rm -f "$tmp/users/begun"
	start "$@"
	until [ -s "$tmp/users/begun" ]; do
		recording_goes_on && continue
		[ ! -s "$tmp/users/begun" ] || break
		grep -q "another recording is running" "$tmp/err" || fail "the recorder ended: $(cat "$tmp/err")"
		start "$@"
	done
	recording=$(sed -n 's,.*@headstart-record/,,p' /proc/net/unix | grep "^$recorder-") || fail "the name is not to be read"
}

# Lets the command end, and with it the recording if nothing else has ended it.
end() {
	echo go >"$tmp/go"
	wait "$recorder" || fail "the recorder failed: $(cat "$tmp/err")"
	recorder=
	milestone=$(sed -n '$s/.*"milestone":"\([a-z]*\)".*/\1/p' "$tmp/out")
}

await() { # WORDS that the recorder prints
	while :; do
		over=
		grep -q '"milestone":' "$tmp/out" && over=1
		recording_goes_on || over=1
		cat "$tmp/err" "$tmp/out" | grep -qF "$1" && return
		[ -z "$over" ] || fail "the recording ended without '$1': $(cat "$tmp/err" "$tmp/out")"
	done
}

mkdir -m 777 "$tmp/users"
mkfifo -m 666 "$tmp/go"
begin mark
as $stranger
as $stranger
await "ignored a mark from user $stranger"
end
[ "$milestone" = exit ] || fail "a stranger's mark ended the recording: $milestone"
[ "$(grep -c "ignored a mark" "$tmp/err")" = 1 ] || fail "the stranger is told again and again"

begin mark --user "$name"
as $stranger
await "ignored a mark from user $stranger"
as $user
await '"milestone":'
end
[ "$milestone" = mark ] || fail "the mark of the recording's user did not count: $milestone"

begin mark --user "$name"
as 0
await '"milestone":'
end
[ "$milestone" = mark ] || fail "root's mark did not count: $milestone"

# A flood of marks that do not count makes the recorder neither fail nor spin: it reads what has come.
begin exit
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do as $stranger; done
await "ignored a mark"
end
[ "$milestone" = exit ] || fail "marks ended a recording that waits for none: $milestone"
