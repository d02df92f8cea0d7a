#!/bin/sh
# SPDX-License-Identifier: MIT
# A command that root records as another user must get nothing of root's: no terminal to push characters into, no environment, no
# groups, no descriptors, no keys. But it must have a terminal that works.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"
can_record
chmod 755 "$tmp"
user=65534
name=$(id -un $user) || skip "there is no user $user"
mkdir "$tmp/users" "$tmp/run"
chown $user "$tmp/users" "$tmp/run"

# Writes what the command finds into a file of the user's, then talks with whoever is at the terminal.
cat >"$tmp/look" <<'END'
#!/usr/bin/python3
import fcntl, json, os, signal, sys, termios
found = {"env": dict(os.environ), "groups": os.getgroups(), "ids": os.getresuid() + os.getresgid(), "session": os.getsid(0),
         "pid": os.getpid(), "fds": [], "terminals": [], "pushed": []}
for fd in range(3, 64):
    try:
        found["fds"].append(os.readlink("/proc/self/fd/%d" % fd))
    except OSError:
        pass
for fd in range(3):
    if os.isatty(fd):
        found["terminals"].append(os.fstat(fd).st_rdev)
        try:
            for letter in b"echo owned\n":
                fcntl.ioctl(fd, termios.TIOCSTI, bytes([letter]))
            found["pushed"].append(fd)
        except OSError:
            pass
try:
    found["controlling"] = os.stat(os.open("/dev/tty", os.O_RDWR)).st_rdev
except OSError:
    found["controlling"] = None
with open(sys.argv[1] + "/found", "w") as file:
    json.dump(found, file)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) # SIGINT may come before anybody waits for it
if os.isatty(0):
    print("size", *os.get_terminal_size(0), flush=True)
    print("heard", input(), flush=True)
    signal.sigwait({signal.SIGINT})
    print("told", flush=True)
END
chmod 755 "$tmp/look"

# Acts as the person at root's terminal: types what is asked for, and checks what has become of the terminal.
cat >"$tmp/type" <<'END'
import fcntl, os, pty, signal, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 97, 0, 0))
    before = termios.tcgetattr(0)
    child = os.fork()
    if child == 0:
        os.dup2(os.open("/etc/shadow", os.O_RDONLY), 7)
        os.execvp(sys.argv[2], sys.argv[2:])
    signal.signal(signal.SIGINT, signal.SIG_IGN) # which the keyboard sends to this one, too
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = fcntl.ioctl(0, termios.FIONREAD, b"\0" * 4)
    with open(sys.argv[1], "w") as file:
        print("status", status, "modes", "same" if termios.tcgetattr(0) == before else "changed",
              "input", int.from_bytes(left, sys.byteorder), "rdev", os.fstat(0).st_rdev, file=file)
    os._exit(0)
said = b""
def expect(words):
    global said
    while words not in said:
        try:
            said += os.read(master, 4096)
        except OSError:
            print("ended without %r: %s" % (words, said.decode(errors="replace")))
            sys.exit(1)
expect(b"size 97 31")
os.write(master, b"hello\r")
expect(b"heard ")
os.write(master, b"\x03")
expect(b"told")
os.waitpid(pid, 0)
if b"heard hello" not in said:
    print("the command did not hear what was typed: %r" % said)
    sys.exit(1)
if b"\r\r\n" in said:
    print("line ends were made twice: %r" % said)
    sys.exit(1)
END

case_at_a_terminal() {
	env SSH_AUTH_SOCK=/root/agent XAUTHORITY=/root/.Xauthority DISPLAY=:7777 WAYLAND_DISPLAY=wayland-0 \
		XDG_RUNTIME_DIR=/root DBUS_SESSION_BUS_ADDRESS=unix:path=/root/bus SECRET=1 LD_LIBRARY_PATH=/root \
		LC_ALL=C.UTF-8 TERM=vt100 TZ=UTC \
		setpriv --groups 4,27 /usr/bin/python3 "$tmp/type" "$tmp/ended" "$tool" record --quiet --no-drop \
		--keep-read-ahead --user "$name" -o "$tmp/profile" -- "$tmp/look" "$tmp/users" >"$tmp/out" 2>&1 ||
		fail "the terminal does not work: $(cat "$tmp/out")"
	json "$tmp/users/found" - "$tmp/ended" $user <<'END' || fail "the command has something of root's"
found, user = TOP, int(ARGS[1])
ended = open(ARGS[0]).read().split()
ended = dict(zip(ended[::2], ended[1::2]))
env = found["env"]
allowed = {"HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TERM", "TZ", "XDG_CURRENT_DESKTOP",
           "HEADSTART_RECORDING"}
more = {name for name in env if name not in allowed and not name.startswith("LC_")}
assert not more, "in the environment: %s" % more
assert env["TERM"] == "vt100" and env["TZ"] == "UTC" and env["LC_ALL"] == "C.UTF-8", env
assert found["ids"][:3] == [user] * 3 and not {0, 4, 27} & set(found["groups"]), found
assert found["session"] == found["pid"], "not a session of its own"
assert found["controlling"] is None, "a controlling terminal"
assert len(found["terminals"]) == 3, "no terminal at all: %s" % found
assert int(ended["rdev"]) not in found["terminals"], "root's own terminal"
assert not any("shadow" in fd for fd in found["fds"]), found["fds"]
assert ended["input"] == "0", "characters were pushed into root's terminal"
assert ended["modes"] == "same", "the modes of root's terminal were changed"
assert ended["status"] == "0", "the recorder failed: " + ended["status"]
END
}

# The user's own variables are passed on.
case_users_own() {
	: >"$tmp/users/cookies"
	: >"$tmp/run/wayland-0"
	chown $user "$tmp/users/cookies" "$tmp/run/wayland-0"
	env XAUTHORITY="$tmp/users/cookies" DISPLAY=:7777 WAYLAND_DISPLAY=wayland-0 XDG_RUNTIME_DIR="$tmp/run" SECRET=1 \
		"$tool" record --quiet --no-drop --keep-read-ahead --user "$name" -o "$tmp/profile" -- env >"$tmp/out" ||
		fail "no recording"
	for variable in "XAUTHORITY=$tmp/users/cookies" DISPLAY=:7777 WAYLAND_DISPLAY=wayland-0 "XDG_RUNTIME_DIR=$tmp/run"; do
		grep -qxF "$variable" "$tmp/out" || fail "without $variable: $(cat "$tmp/out")"
	done
	! grep SECRET "$tmp/out" || fail "SECRET went along"
}

# A process that becomes another user keeps its session keyring, and can read what is in it.
case_roots_keys() {
	cp "$HEADSTART_TEST_BUILD/tests/attack/keyring" "$tmp/keyring"
	"$tmp/keyring" hold setpriv --reuid $user --regid $user --clear-groups "$tmp/keyring" find >"$tmp/out" 2>"$tmp/err" ||
		case $? in
		77) untried "root's keys: $(cat "$tmp/err")" && return 0 ;;
		*) fail "no keyring can be looked at: $(cat "$tmp/err")" ;;
		esac
	grep -qx roots-secret "$tmp/out" || fail "the control: a user who was root has not root's keys: $(cat "$tmp/out")"
	"$tmp/keyring" hold "$tool" record --quiet --no-drop --keep-read-ahead --user "$name" -o "$tmp/profile" -- \
		"$tmp/keyring" find >"$tmp/out" 2>"$tmp/err" || fail "no recording: $(cat "$tmp/err")"
	grep -qx none "$tmp/out" || fail "the command has a key of root's: $(cat "$tmp/out")"
}

# The command is a wrapper that ends, as those of desktop programs do. What it has started goes on, and keeps its terminal.
case_wrappers() {
	cat >"$tmp/wrapper" <<'END'
#!/bin/sh
mkfifo "$1/fifo"
(read -r word <"$1/fifo"; echo "later: $word") &
(while kill -0 $$ 2>/dev/null; do :; done; echo go >"$1/fifo") &
END
	chmod 755 "$tmp/wrapper"
	rm -f "$tmp/users/fifo"
	/usr/bin/python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$tool" record --no-drop --keep-read-ahead \
		--quiet --user "$name" -o "$tmp/profile" -- "$tmp/wrapper" "$tmp/users" >"$tmp/out" 2>&1 || fail "no recording: $(cat "$tmp/out")"
	grep -q "later: go" "$tmp/out" || fail "what a wrapper started was ended with it: $(cat "$tmp/out")"
}

# What it leaves behind writes without end. Root's terminal takes its time, so that there is always more.
case_output_without_end() {
	timeout 100 /usr/bin/python3 -c 'import os, pty, sys, time
def read_slowly(fd):
    time.sleep(0.01)
    return os.read(fd, 4096)
sys.exit(pty.spawn(sys.argv[1:], read_slowly) >> 8)' "$tool" record --no-drop --keep-read-ahead --quiet --user "$name" \
		--until time:0.2 -o "$tmp/profile" -- sh -c 'yes & exec sleep 0.5' >"$tmp/out" 2>&1 || fail "the recording does not end"
	grep -q y "$tmp/out" || fail "it has written nothing"
}

# These are refused before anything is recorded.
case_state() {
	HEADSTART_STATE=$tmp/users/state refuses 1 "run this as that user, or without HEADSTART_STATE" "$tool" record -- true
	[ ! -e "$tmp/users/state" ] || fail "root made a folder in the user's"
}

run_cases
