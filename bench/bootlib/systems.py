# SPDX-License-Identifier: MIT
"""The systems that are booted: what they are made of, and when they have booted.

The desktop is Xfce with a user who is logged in by lightdm, on a display in memory, since a container has no screen. It has booted when a
program, as first-window sees it, has a window.
"""

import dataclasses
import os
import re

from lab.image import NEEDED_PACKAGES

# On the console, by systemd itself.
TARGET = "multi-user.target"
FIRST_WINDOW = "first-window"       # in the build, below bench/
BELOW = "/run/bench-"               # where programs of the build are in the container
USER, NUMBER = "person", 1000

_UNIT = f"""[Unit]
After=dbus.service

[Service]
ExecStart={BELOW}{FIRST_WINDOW}
StandardOutput=journal+console
"""
_LIGHTDM = f"""[LightDM]
logind-check-graphical=false

[Seat:*]
autologin-user={USER}
autologin-session=xfce
xserver-command=/usr/local/bin/display-in-memory
"""
# What lightdm asks of a display with a screen is left out.
_DISPLAY = """#!/bin/sh
for word; do
	shift
	case $word in
	vt* | -seat | seat* | -novtswitch) ;;
	*) set -- "$@" "$word" ;;
	esac
done
exec Xvfb "$@" -screen 0 1280x800x24 -ac
"""


@dataclasses.dataclass(frozen=True)
class System:
    name: str
    what: str
    packages: tuple
    milestone: str
    said: str               # a regular expression: the console says that when it has booted
    programs: tuple = ()    # of the build, that it needs
    files: tuple = ()       # (path, text, mode)
    links: tuple = ()       # (path, target)
    user: bool = False

    def booted(self, console):
        return re.search(self.said, console)

    def furnish(self, root):
        """Makes an image with these packages the system."""
        for path, text, mode in self.files:
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="ascii") as file:
                file.write(text)
                os.fchmod(file.fileno(), mode)
        for path, target in self.links:
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            if not os.path.lexists(os.path.join(root, path)):
                os.symlink(target, os.path.join(root, path))
        if self.user:
            _add_user(root)


def _add_user(root):
    for path, line in (("etc/passwd", f"{USER}:x:{NUMBER}:{NUMBER}::/home/{USER}:/bin/sh\n"), ("etc/group", f"{USER}:x:{NUMBER}:\n"),
                       ("etc/shadow", f"{USER}:*:19000:0:99999:7:::\n")):
        with open(os.path.join(root, path), "r+", encoding="ascii") as file:
            if f"{USER}:" not in file.read():
                file.write(line)
    home = os.path.join(root, "home", USER)
    os.makedirs(home, exist_ok=True)
    os.chown(home, NUMBER, NUMBER)


SERVER = System(
    "server", "systemd, D-Bus, sshd, cron, rsyslog",
    ("systemd-sysv", "dbus", "libpam-systemd", "cron", "rsyslog", "openssh-server", "libxcb1", *NEEDED_PACKAGES),
    TARGET, rf"Reached target .*{re.escape(TARGET)}")
DESKTOP = System(
    "desktop", "the server with lightdm, and Xfce for a user who is logged in",
    (*SERVER.packages, "lightdm", "lightdm-gtk-greeter", "xvfb", "dbus-x11", "xfce4-session", "xfwm4", "xfdesktop4", "xfce4-panel",
     "xfce4-settings", "adwaita-icon-theme", "fonts-dejavu-core"),
    "first window", "the first window is there", programs=(FIRST_WINDOW,),
    files=(("etc/systemd/system/first-window.service", _UNIT, 0o644), ("etc/lightdm/lightdm.conf.d/50-bench.conf", _LIGHTDM, 0o644),
           ("usr/local/bin/display-in-memory", _DISPLAY, 0o755)),
    links=(("etc/systemd/system/graphical.target.wants/first-window.service", "../first-window.service"),
           # It hangs the console up, on which the prefetcher may not have said yet what it has read.
           ("etc/systemd/system/console-getty.service", "/dev/null")), user=True)
SYSTEMS = {system.name: system for system in (SERVER, DESKTOP)}
