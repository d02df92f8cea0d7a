#!/bin/sh
# SPDX-License-Identifier: MIT
# The recorded program takes a write lease on its own file, and still holds it when the recording ends. The recorder, which then
# looks up the disk that the file lies on, must not wait for the kernel's lease-break-time of 45 seconds.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"
make_disk
can_record
cat >"$disk/program" <<END
#!/usr/bin/python3
import fcntl, signal, subprocess
signal.signal(signal.SIGIO, signal.SIG_IGN)
with open("$disk/program", "r+b") as program:
    fcntl.fcntl(program, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    subprocess.run(["$tool", "mark"], check=True)
    signal.pause()
END
chmod 755 "$disk/program"
status=0
timeout 40 "$tool" record --no-drop --keep-read-ahead --until mark --kill -o "$tmp/profile" -- "$disk/program" 2>"$tmp/err" || status=$?
[ $status != 124 ] || fail "the recorder waited for the lease"
[ $status = 0 ] || fail "the recording failed: $(cat "$tmp/err")"
