# SPDX-License-Identifier: MIT
"""A shell of an ordinary user, as in shell.py, beside which headstartd may run.

Shell and daemon run from copies in memory, with ld.so as the program, so that nothing of the image is warm. The daemon sees
the programs of its own mount namespace and root, which are those of the shell. It takes what a process executes within five
seconds for a part of what that executed before; so the shell is older than that when it gets a command. Of the shell itself nothing
is learnt, since it is started with HEADSTART=off.
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
_OBJECT = re.compile(r"^\t(?:(\S+) => )?(/\S+) \(0x", re.MULTILINE)
_OLDER = 6                    # seconds

_SCRIPT = """
if [ "$1" = daemon ]; then
    (unset HEADSTART; exec {loader} {folder}/headstartd 2>{log} </dev/null) &
    until [ -e /run/headstart/daemon ]; do kill -0 $! || exit 1; done
fi
shift
exec {loader} {folder}/setpriv --reuid {user} --regid {user} --clear-groups \
    {loader} {folder}/sh -c '{loader} {folder}/sleep {older}; echo >&0; read -r word && unset HEADSTART && cd "$HOME" && exec "$@" </dev/null' sh "$@"
"""


@dataclass(frozen=True)
class Beside:
    """Used as a Shell (shell.py)."""

    build: str
    daemon: bool

    def furnish(self, root):
        os.mkdir(root + FOLDER)
        programs = {name: os.path.join(self.build, "tools", name) for name in ("headstartd", "headstart-prefetch")}
        programs.update((name, shutil.which(name)) for name in ("sh", "sleep", "setpriv"))
        for path in programs.values():
            if not path or not os.path.exists(path):
                raise LabError(f"'{path}' is missing")
        for name, path in {**_libraries(programs.values()), **programs}.items():
            shutil.copy(path, os.path.join(root + FOLDER, name))

    def start(self, argv, env):
        loader = f"{FOLDER}/loader --library-path {FOLDER}"
        script = _SCRIPT.format(loader=loader, folder=FOLDER, log=LOG, older=_OLDER, user=USER)
        return ([*loader.split(), FOLDER + "/sh", "-c", script, "sh", "daemon" if self.daemon else "alone", *argv],
                {**env, "HOME": "/tmp", "USER": "user", "LOGNAME": "user", "HEADSTART": "off"})


def _libraries(programs):
    """{name: path} of all that the programs of the host are mapped with; the loader is called 'loader'."""
    found = {}
    for program in programs:
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        found.update((name or "loader", path) for name, path in _OBJECT.findall(listed))
    return found
