# SPDX-License-Identifier: MIT
"""The daemon, on this machine: with a state folder of its own, and a /run that the caller has mounted for it."""

import contextlib
import os
import subprocess
import time

from lab import LabError

READY = "/run/headstart/daemon"     # what the daemon says of itself
READY_SECONDS, END_SECONDS = 30, 30


def state(folder):
    """Where a daemon with this folder keeps plans and profiles."""
    return os.path.join(folder, "state")


def environment(folder, config=os.devnull):
    """What the daemon, and whoever makes plans for it, has in its environment."""
    return {**os.environ, "HEADSTART_STATE": state(folder), "HEADSTART_CONFIG": config}


@contextlib.contextmanager
def running(build, folder, config=os.devnull):
    """Runs the daemon, which sees what is executed when this begins. /run is the caller's own."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(READY)
    log = os.path.join(folder, "log")
    with open(log, "wb") as out, \
            subprocess.Popen([os.path.join(build, "tools/headstartd")], env=environment(folder, config), stderr=out) as process:
        try:
            end = time.monotonic() + READY_SECONDS
            while not os.path.exists(READY):
                if process.poll() is not None or time.monotonic() > end:
                    raise LabError(f"the daemon does not start: {_said(log)}")
                time.sleep(0.01)
            yield
            if process.poll() is not None:
                raise LabError(f"the daemon has ended by itself: {_said(log)}")
        finally:
            process.terminate()
            process.wait(END_SECONDS)


def _said(log):
    with open(log, encoding="utf-8", errors="replace") as said:
        return said.read().strip()[-300:]


def note(name):
    """A number of what the running daemon says of itself."""
    try:
        with open(READY, encoding="ascii") as file:
            return int(dict(line.split(": ") for line in file.read().splitlines())[name])
    except FileNotFoundError:
        raise LabError("the daemon has ended by itself") from None
