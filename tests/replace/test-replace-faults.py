#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A replacement broken off at every system call that changes something: by an error, by a full disk, by SIGKILL.

However it ends, each name is the old file or the new one, whole, with its owner, mode and attributes; after an error
no temporary file is left, after a kill the next run removes it.
"""

import errno
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter

DRIVER = os.path.join(os.environ["HEADSTART_TEST_BUILD"], "tests/replace/replace-driver")
OLD = bytes(range(256)) * 512
NEW = OLD + b"new\n"
CALLS = ("openat,flock,fremovexattr,copy_file_range,pread64,write,fchown,fchmod,fsetxattr,flistxattr,fgetxattr,linkat,"
         "fsync,renameat,renameat2,unlinkat")
HARMLESS = {"flock"}  # locks are missing on some file systems, and then nobody sweeps up
CAPABILITY = bytes([1, 0, 0, 2, 0, 0x20]) + bytes(14)  # cap_net_raw=ep, revision 2 (capabilities(7))
ACL = "system.posix_acl_access"
# user:: rwx, user:65534 r-x, group:: ---, mask:: r-x, other:: --x, in the kernel's format (linux/posix_acl_xattr.h)
ACL_VALUE = struct.pack("<I" + "HHI" * 5, 2, 1, 7, NO_ID := 0xffffffff, 2, 5, 65534, 4, 0, NO_ID, 16, 5, NO_ID, 32, 1, NO_ID)
ROOT = os.geteuid() == 0
# LeakSanitizer cannot work under strace.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def check(condition, *words):
    if not condition:
        print("FAIL:", *words, file=sys.stderr)
        sys.exit(1)


def attributes(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def what_it_is(path):
    st = os.stat(path)
    return st.st_uid, st.st_gid, st.st_mode, attributes(path)


class Scene:
    """Files under `folder` and the driver's command that replaces them; `calls` are injected in every run."""

    def __init__(self, folder, names, command, calls=()):
        self.folder, self.names, self.calls = folder, [os.path.join(folder, name) for name in names], calls
        self.command = [DRIVER, str(len(OLD)), *(word.format(folder) for word in command)]

    def set_up(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        first, *others = self.names
        for name in self.names:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(first, "wb") as file:
            file.write(OLD)
        if ROOT:
            os.chown(first, 1234, 4321)
        os.chmod(first, 0o6751)
        for name in others:
            os.link(first, name)
        wanted = {"user.colour": b"blue", "user.empty": b""}
        if ROOT:
            wanted["security.capability"] = CAPABILITY
        for name, value in wanted.items():
            os.setxattr(first, name, value)
        self.kept = what_it_is(first)

    def strace(self, *injected):
        words = [word for call in (*self.calls, *injected) for word in ("-e", "inject=" + call)]
        log = self.folder + ".log"
        done = subprocess.run(["strace", "-f", "-o", log, "-e", "trace=" + CALLS, *words, *self.command],
                              stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT)
        with open(log, encoding="utf-8", errors="replace") as lines:
            return done.returncode, lines.read()

    def temporaries(self):
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names
                if ".headstart-" in name]

    def contents(self):
        """Of each name: True for new, False for old; anything else fails."""
        result = []
        for name in self.names:
            with open(name, "rb") as file:
                content = file.read()
            check(content in (OLD, NEW), name, "is neither old nor new:", len(content))
            check(what_it_is(name) == self.kept, name, "is", what_it_is(name), "not", self.kept)
            result.append(content == NEW)
        return result

    def finish(self):
        """What the user does after a kill: the same again, for each file that the names are of."""
        groups = {}
        for name in self.names:
            groups.setdefault(os.stat(name).st_ino, []).append(name)
        for names in groups.values():
            done = subprocess.run([*self.command[:3], *names], stderr=subprocess.PIPE, text=True, check=False)
            check(done.returncode == 0, "the next run says", done.stderr)


class ListedScene(Scene):
    """A file with an ACL, by which its group may nothing."""

    def set_up(self):
        super().set_up()
        os.setxattr(self.names[0], ACL, ACL_VALUE)
        self.kept = what_it_is(self.names[0])

    def temporaries(self):
        found = super().temporaries()
        for path in found:
            mode = os.stat(path).st_mode
            check(not mode & 0o070 or ACL in os.listxattr(path), f"{path} has the mode {mode:o}, and no ACL")
        return found


class NewScene(Scene):
    """-o: a file that need not be there."""

    def contents(self):
        like, out = self.names[0], os.path.join(self.folder, "out")
        with open(like, "rb") as file:
            check(file.read() == OLD and what_it_is(like) == self.kept, "the original has changed")
        if not os.path.exists(out):
            return [False]
        with open(out, "rb") as file:
            check(file.read() == NEW and what_it_is(out) == self.kept, "the new file is not whole")
        return [True]

    def finish(self):
        check(subprocess.run(self.command, check=False).returncode == 0, "the next run fails")


def calls_made(log):
    return Counter(match[1] for match in re.finditer(r"^\d+ +(\w+)\(", log, re.MULTILINE))


def changed_already(log):
    return re.search(r"renameat2?\(.* = 0$", log, re.MULTILINE) is not None


def fail_with(scene, call, n, error):
    scene.set_up()
    status, log = scene.strace(f"{call}:error={error}:when={n}")
    where = f"{call} {n} failing with {error} in {scene.folder}:\n{log[-800:]}"
    new = scene.contents()
    if status == 0:
        check(all(new), "success, but not all is new after", where)
        check(call in HARMLESS or call in ("openat", "fgetxattr"), "an error is not told:", where)
    elif changed_already(log):
        check(call in ("renameat", "renameat2", "fsync"), "changed in spite of", where)
    else:
        check(not any(new), "changed in spite of", where)
    if call != "unlinkat":
        check(not scene.temporaries(), "left behind:", scene.temporaries(), where)


def kill_at(scene, call, n):
    scene.set_up()
    status, log = scene.strace(f"{call}:signal=SIGKILL:when={n}")
    check(status == -9, f"the driver lived through SIGKILL at {call} {n}", status, log[-800:])
    scene.temporaries()
    scene.contents()
    scene.finish()
    check(all(scene.contents()), "not all is new after the next run", call, n)
    check(not scene.temporaries(), "left behind after", call, n, scene.temporaries())


def break_everywhere(scene):
    scene.set_up()
    status, log = scene.strace()
    check(status == 0 and all(scene.contents()) and not scene.temporaries(), "without faults:", status, log)
    made = calls_made(log)
    cases = 0
    for call, count in made.items():
        injected_before = {word.split(":")[0] for word in scene.calls}
        for n in range(1, count + 1):
            if call in injected_before:
                continue
            kill_at(scene, call, n)
            for error in ("EIO", "ENOSPC"):
                fail_with(scene, call, n, error)
            cases += 3
    for call in ("copy_file_range" if not scene.calls else "pread64", "fsync", "fsetxattr"):
        check(made[call], "the scene makes no call of", call)
    return cases


def race(scene, processes=4, rounds=40):
    """Several at once, each sweeping the same folder: one wins, the rest are told, nothing is left."""
    scene.set_up()
    for _ in range(rounds):
        running = [subprocess.Popen(scene.command, stderr=subprocess.PIPE, text=True) for _ in range(processes)]
        ended = [(process.communicate()[1], process.returncode) for process in running]
        check(any(status == 0 for _, status in ended), "nobody won:", ended)
        check(all(status == 0 or said == "ESTALE -\n" for said, status in ended), "a loser says", ended)
        check(all(scene.contents()) and not scene.temporaries(), "after a race", scene.temporaries())


def what_executing_says(path):
    try:
        os.execv(path, [path])
    except OSError as error:
        return error.errno


def executed_meanwhile(scene):
    """A program that is replaced can be executed at any moment, though folders are written slowly."""
    scene.set_up()
    with subprocess.Popen(["strace", "-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:delay_exit=500000", *scene.command],
                          env=ENVIRONMENT) as replacing:
        said, tries_of_new = set(), 0
        while replacing.poll() is None:
            tries_of_new += all(scene.contents())
            said.add(what_executing_says(scene.names[0]))
    check(replacing.returncode == 0 and all(scene.contents()), "not replaced:", replacing.returncode)
    check(tries_of_new > 0, "it got its name only at the end")
    check(said == {errno.ENOEXEC}, "executing it says", said)


def xattrs_work(folder):
    probe = os.path.join(folder, "probe")
    with open(probe, "wb"):
        pass
    try:
        os.setxattr(probe, "user.colour", b"blue")
        os.setxattr(probe, ACL, ACL_VALUE)
        if ROOT:
            os.setxattr(probe, "security.capability", CAPABILITY)
    except OSError:
        return False
    return True


def run_in(parent):
    scenes = [
        Scene(f"{parent}/one", ["file"], ["names", "{0}/file"]),
        Scene(f"{parent}/hand", ["file"], ["names", "{0}/file"], ["copy_file_range:error=EXDEV"]),
        Scene(f"{parent}/three", ["sub/c", "a", "b"], ["names", "{0}/b", "{0}/sub/c", "{0}/a"]),
        Scene(f"{parent}/order", ["sub/c", "a", "b"], ["names", "{0}/b", "{0}/a", "{0}/sub/c"]),
        ListedScene(f"{parent}/listed", ["file"], ["names", "{0}/file"]),
        NewScene(f"{parent}/new", ["file"], ["new", "{0}/out", "{0}/file"]),
    ]
    for scene in scenes:
        print(f"{scene.folder}: {break_everywhere(scene)} faults")
    race(scenes[0])
    executed_meanwhile(scenes[0])
    executed_meanwhile(scenes[2])


def main():
    if not shutil.which("strace"):
        skip("strace is not installed")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        skip("this process may not trace")
    ran = 0
    for place in (os.environ.get("TMPDIR", "/tmp"), "/dev/shm"):
        with tempfile.TemporaryDirectory(prefix="headstart-test.", dir=place) as parent:
            if not xattrs_work(parent):
                print(f"partial: {place}: no extended attributes there")
                continue
            run_in(parent)
            ran += 1
    if not ran:
        skip("no file system here has extended attributes")


if __name__ == "__main__":
    main()
