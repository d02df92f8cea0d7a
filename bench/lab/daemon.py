# SPDX-License-Identifier: MIT
"""A shell of an ordinary user, as in shell.py, beside which headstartd may run.

Shell and daemon run from copies in memory, with ld.so as the program, so that nothing of the image is warm. The daemon sees
the programs of its own mount namespace and root, which are those of the shell. It takes what a process executes within five
seconds for a part of what that executed before; so the shell is older than that when it gets a command. Of the shell itself nothing
is learnt, since it is started with HEADSTART=off. The daemon is no child of the shell, which becomes the program: what children of the
program read counts as read by the program, and the daemon's prefetchers read the whole plan.

The shell can also live in a container: a mount namespace whose root is an overlay, with the image as its lower layer. The daemon
stays outside.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from lab import LabError

USER = 1000
FOLDER = "/run/beside"        # in the image, in memory
LOG = FOLDER + "/log"         # of the daemon
_LOADER = f"{FOLDER}/loader --library-path {FOLDER}"
_OBJECT = re.compile(r"^\t(?:(\S+) => )?(/\S+) \(0x", re.MULTILINE)
_OLDER = 6                    # seconds

_SCRIPT = """
if [ "$1" = daemon ]; then
    (unset HEADSTART; {loader} {folder}/headstartd 2>{log} </dev/null & echo $! >{folder}/pid)
    read -r pid <{folder}/pid
    until [ -e /run/headstart/daemon ]; do kill -0 $pid || exit 1; done
fi
shift
exec {enter} {loader} {folder}/setpriv --reuid {user} --regid {user} --clear-groups \
    {loader} {folder}/sh -c '{loader} {folder}/sleep {older}; echo >&0; read -r word && unset HEADSTART && cd "$HOME" && exec "$@" </dev/null' sh "$@"
"""


# What the shell's own files, and the started program, need besides is mounted there, too; the old root stays at /mnt.
_CONTAINER = """
set -e
{mount} -t tmpfs tmpfs /mnt
{mkdir} /mnt/upper /mnt/work /mnt/root
{mount} -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
for name in dev proc sys tmp run; do {mount} --rbind /$name /mnt/root/$name; done
cd /mnt/root
{pivot_root} . mnt
exec "$@"
"""
_CONTAINER_TOOLS = ("mkdir", "mount", "pivot_root", "unshare")


@dataclass(frozen=True)
class Beside:
    """Used as a Shell (shell.py)."""

    build: str
    daemon: bool
    container: bool = False

    def furnish(self, root):
        os.mkdir(root + FOLDER)
        programs = {name: os.path.join(self.build, "tools", name) for name in ("headstartd", "headstart-prefetch")}
        tools = ("sh", "sleep", "setpriv", *(_CONTAINER_TOOLS if self.container else ()))
        programs.update((name, shutil.which(name)) for name in tools)
        for path in programs.values():
            if not path or not os.path.exists(path):
                raise LabError(f"'{path}' is missing")
        for name, path in {**_libraries(programs.values()), **programs}.items():
            shutil.copy(path, os.path.join(root + FOLDER, name))
        if self.container:
            tools = {name: f"{_LOADER} {FOLDER}/{name}" for name in _CONTAINER_TOOLS}
            with open(os.path.join(root + FOLDER, "container"), "w", encoding="ascii") as file:
                file.write(_CONTAINER.format(**tools))

    def start(self, argv, env):
        enter = f"{_LOADER} {FOLDER}/unshare --mount {_LOADER} {FOLDER}/sh {FOLDER}/container" if self.container else ""
        script = _SCRIPT.format(loader=_LOADER, enter=enter, folder=FOLDER, log=LOG, older=_OLDER, user=USER)
        return ([*_LOADER.split(), FOLDER + "/sh", "-c", script, "sh", "daemon" if self.daemon else "alone", *argv],
                {**env, "HOME": "/tmp", "USER": "user", "LOGNAME": "user", "HEADSTART": "off"})


def enter_user(root):
    """Some programs do not start for a user without a name."""
    with open(os.path.join(root, "etc/passwd"), "a", encoding="ascii") as file:
        file.write(f"user:x:{USER}:{USER}::/tmp:/bin/sh\n")


def _libraries(programs):
    """{name: path} of all that the programs of the host are mapped with; the loader is called 'loader'."""
    found = {}
    for program in programs:
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        found.update((name or "loader", path) for name, path in _OBJECT.findall(listed))
    return found
