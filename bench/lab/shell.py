# SPDX-License-Identifier: MIT
"""A shell of the image that is already running and idle when it gets a command, like the one that people start programs
from.

Such a shell was read long ago, but if it were read from the image, parts of the image would be warm: every program uses
its loader and libc. So it runs from copies in memory, with ld.so as the program. What it has looked up in the image by
then, a shell of that system would have looked up too.

Its standard input is a socket. It writes a line there when it is ready, and becomes the command when it gets an answer.
"""

import dataclasses
import os
import re
import shlex

from lab import LabError, kernel

_SH = "/bin/sh"
_FOLDER = "/run/shell"                  # in the image, in memory
_OBJECT = re.compile(r"^\t(?:(\S+) => )?(/\S+) \(0x", re.MULTILINE)    # as ld.so lists them; the loader has no name
_SCRIPT = 'echo >&0; read -r word && exec "$@" </dev/null'


@dataclasses.dataclass(frozen=True)
class Shell:
    files: dict      # name -> content: the shell, its libraries, and the library preloaded into it
    loader: str      # names of two of the files
    preload: str

    @classmethod
    def copy(cls, root, preload):
        """Copies the shell of a Root, and the library (a path in the image) that is preloaded into it."""
        listed = root.run([_SH], {"LD_TRACE_LOADED_OBJECTS": "1"}, measured=False).stdout.decode()
        objects = _OBJECT.findall(listed)
        loader = next((os.path.basename(path) for name, path in objects if not name), None)
        if not loader:
            raise LabError(f"'{_SH}' of the image is not dynamically linked: nothing can be preloaded into it")
        paths = {name or os.path.basename(path): path for name, path in objects}
        paths.update({"sh": _SH, os.path.basename(preload): preload})
        files = {name: _content(root.path, path) for name, path in paths.items()}
        return cls(files, loader, os.path.basename(preload))

    def furnish(self, root):
        """Writes the copies to where they run, below a folder whose run/ is a tmpfs."""
        os.mkdir(root + _FOLDER)
        for name, content in self.files.items():
            with open(os.path.join(root + _FOLDER, name), "xb") as file:
                file.write(content)
                os.fchmod(file.fileno(), 0o755)

    def start(self, argv, env):
        """(arguments, environment) with which to execute a shell that becomes this command with this environment."""
        for_loader = {name: value for name, value in env.items() if name.startswith("LD_")}     # the command's, not its own
        exports = "".join(f"export {name}={shlex.quote(value)}; " for name, value in for_loader.items())
        loader, preload, sh = (os.path.join(_FOLDER, name) for name in (self.loader, self.preload, "sh"))
        # In the environment, not by --preload: the shim writes its log only if the environment names it.
        return ([loader, "--library-path", _FOLDER, sh, "-c", "unset LD_PRELOAD; " + exports + _SCRIPT, "sh", *argv],
                {**{name: value for name, value in env.items() if name not in for_loader}, "LD_PRELOAD": preload})


def _content(root, path):
    with open(kernel.open_in_root(root, path), "rb") as file:
        return file.read()
