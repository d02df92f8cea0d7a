# SPDX-License-Identifier: MIT
"""headstart's own tests in the machine: on another kernel than the host's, and than the one they were written on.

Copies source and build folder onto a third disk, which the machine mounts at the same paths, since a build folder
contains its own path.
"""

import glob
import json
import os
import re
import shutil
import subprocess

from lab import LabError
from lab.image import make_file_system, used_bytes

SECONDS = 8 * 3600
MEMORY = 3072           # MiB
FREE = 1 << 30
ONLY_AMD64 = ("libc6-i386",)
SCRIPT = """
mkdir -p /tests && mount /dev/vdc /tests || exit 1
for name in source build; do
	folder=$(cat /tests/$name.path)
	mkdir -p $folder && mount --bind /tests/$name $folder || exit 1
done
cd / && HOME=/root meson test -C $folder --no-rebuild --timeout-multiplier 10 $(cat /tests/names) >/tests/said 2>&1
cp $folder/meson-logs/testlog.json /tests/log || { tail /tests/said; exit 1; }
umount $folder $(cat /tests/source.path) && umount /tests # the build may lie in the source
"""


def packages(source, architecture):
    """The packages that building and testing need, by tests/install-deps."""
    with open(os.path.join(source, "tests/install-deps"), encoding="utf-8") as file:
        text = file.read()
    names = [name for kind in ("build", "test") for name in re.search(rf"^{kind}='([^']*)'", text, re.MULTILINE)[1].split()]
    return tuple(name for name in names if architecture.name == "amd64" or name not in ONLY_AMD64)


def run(machine, build, names=""):
    """{"passed": how many, "failed": […], "skipped": […]} of all tests, or of those with these names."""
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tree, disk = (os.path.join(machine.folder, name) for name in ("tests", "tests.disk"))
    os.mkdir(tree)
    ignored = {build, os.path.join(source, ".git"), *glob.glob(os.path.join(source, "build*"))}
    for name, folder in (("source", source), ("build", build)):
        shutil.copytree(folder, os.path.join(tree, name), symlinks=True,
                        ignore=lambda parent, names: {each for each in names if os.path.join(parent, each) in ignored})
        with open(os.path.join(tree, name + ".path"), "w", encoding="utf-8") as file:
            file.write(folder)
    with open(os.path.join(tree, "names"), "w", encoding="utf-8") as file:
        file.write(names)
    make_file_system(tree, disk, used_bytes(tree) + FREE)
    machine.memory = MEMORY
    report = machine.run(SCRIPT, [disk], SECONDS)
    if report["script"]["status"] != 0:
        raise LabError(f"headstart's tests could not be run in the machine: {report['script']['said']}")
    log = os.path.join(machine.folder, "log")
    subprocess.run(["debugfs", "-R", f"dump /log {log}", disk], check=True, stdin=subprocess.DEVNULL, capture_output=True)
    with open(log, encoding="utf-8") as lines:
        return count([json.loads(line) for line in lines])


def count(tests):
    """The same, of the lines of meson's log."""
    kinds = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
    found = {"passed": 0, "failed": [], "skipped": []}
    for test in tests:
        kind = kinds.get(test["result"], "failed")
        said = (test.get("stdout") or "").strip().splitlines()
        if kind == "passed":
            found["passed"] += 1
        elif kind == "skipped":
            found["skipped"].append({"name": test["name"], "why": said[-1] if said else ""})
        else:
            found["failed"].append({"name": test["name"], "result": test["result"], "said": said[-20:],
                                    "error": (test.get("stderr") or "").strip().splitlines()[-20:]})
    return found
