# SPDX-License-Identifier: MIT
"""The launcher, the prefetcher and the shims of a build, tried in a root folder with an older C library.

perl is the program that starts; its plan names files that nothing else reads. These are removed from the page cache
before each try. If they are back afterwards, and perl has said what it says otherwise, the way works. The plan is for a
rotational disk: there perl waits for its prefetcher, so that the files are back when perl ends.

`headstart-tool`, which makes the plan, is linked to libraries of this machine. It gets copies of them.
"""

import glob
import os
import re
import shutil
import subprocess

from lab import LabError, kernel, test_tool
from suitelib.chroot import EVERYWHERE, install

FOLDER = "/usr/lib/headstart-tried"
DATA = tuple(f"{FOLDER}/data{number}" for number in range(4))
PAGES = 64              # of each
PERL = "/usr/bin/perl"
START = (PERL, "-e", "print 6 * 7; exit 7")
EXPECTED = (7, "42", "")
PRELOAD_LINE = "/usr/$LIB/headstart/libheadstart-preload.so"


class Trial:
    def __init__(self, root, build):
        self.root = root
        install(build, root.path)
        root_private = glob.glob(root.inside("/usr/lib*/**/headstart/headstart-prefetch"), recursive=True)
        self.private = os.path.dirname("/" + os.path.relpath(root_private[0], root.path))
        self._write(EVERYWHERE, b"")
        for path in DATA:
            self._write(path, os.urandom(PAGES * 4096))
        self._make_plan(build)

    def _write(self, path, content):
        os.makedirs(os.path.dirname(self.root.inside(path)), exist_ok=True)
        with open(self.root.inside(path), "wb") as file:
            file.write(content)
            os.fsync(file.fileno())

    def _make_plan(self, build):
        tools = {"make-profile": test_tool(build, "make-profile"), "headstart-tool": os.path.join(build, "tools/headstart-tool")}
        for name, program in tools.items():
            for path in (program, *libraries(program)):
                shutil.copy(path, os.path.join(self.root.inside(FOLDER), name if path == program else os.path.basename(path)))
        loader = next(name for name in os.listdir(self.root.inside(FOLDER)) if name.startswith("ld-"))
        with_libraries = f"./{loader} --library-path {FOLDER}"
        text = f"program {PERL}\nfile regular {PERL}\nrange 0 1 0 1\n"
        text += "".join(f"file regular {path}\nrange 0 {PAGES} {number + 1} 1\n" for number, path in enumerate(DATA))
        self._write(f"{FOLDER}/text", text.encode())
        status, _, err = self.root.run(["sh", "-c", f"cd {FOLDER} && {with_libraries} ./make-profile profile <text && "
                                        f"{with_libraries} ./headstart-tool plan --device rotational profile"])
        plans = glob.glob(self.root.inside("/var/lib/headstart/*.plan"))
        if status != 0 or not plans:
            raise LabError(f"the plan cannot be made: {err.strip()}")
        self.plan = "/" + os.path.relpath(plans[0], self.root.path)

    def ways(self):
        """(name, command, environment, line of /etc/ld.so.preload, whether the files are read ahead)"""
        by_shell = ("/bin/sh", "-c", '"$@"; exit $?', "sh", *START)
        preload, audit = (f"{self.private}/libheadstart-{name}.so" for name in ("preload", "audit"))
        yield "nothing", START, {}, None, False
        yield "headstart run", ("/usr/bin/headstart", "run", "--", *START), {}, None, True
        yield ("headstart-prefetch", ("/bin/sh", "-c", '"$0" --wait "$1" && shift && exec "$@"',
               f"{self.private}/headstart-prefetch", self.plan, *START), {}, None, True)
        yield "preload shim, LD_PRELOAD", by_shell, {"LD_PRELOAD": preload}, None, True
        yield "preload shim, switched off", by_shell, {"LD_PRELOAD": preload, "HEADSTART": "off"}, None, False
        yield "preload shim, /etc/ld.so.preload", by_shell, {}, PRELOAD_LINE, True
        yield "audit shim", START, {"LD_AUDIT": audit}, None, True
        yield "headstart run --audit", ("/usr/bin/headstart", "run", "--audit", "--", *START), {}, None, True

    def fault(self, command, environment, line, read_ahead):
        """What is wrong with a way, or None."""
        if self._resident(evict=True) != 0:
            return "the files stay in the page cache"
        if line:
            self._write("/etc/ld.so.preload", (line + "\n").encode())
        try:
            said = self.root.run(command, environment)
        finally:
            if line:
                os.unlink(self.root.inside("/etc/ld.so.preload"))
        resident, wanted = self._resident(), PAGES * len(DATA) if read_ahead else 0
        if said != EXPECTED:
            return f"(status, output, errors) are {said}, not {EXPECTED}"
        return None if resident == wanted else f"{resident} pages are in memory, not {wanted}"

    def _resident(self, evict=False):
        """Pages of the files that are in memory, after an attempt to remove them."""
        count = 0
        for path in DATA:
            with open(self.root.inside(path), "rb") as file:
                if evict:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                count += kernel.resident_pages(file.fileno(), PAGES * 4096)
        return count


def libraries(program):
    """The dynamic linker of a program on this machine, and its libraries."""
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", said)


def try_all(root, build, say):
    """Tries every way. Returns the number of those that do not work."""
    trial, failed = Trial(root, build), 0
    for name, *way in trial.ways():
        fault = trial.fault(*way)
        failed += fault is not None
        say(f"{name}: {fault or 'works'}")
    return failed
