#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/releases: what a command in another root folder sees and leaves behind; the clone there; when a way to start counts as working."""

import contextlib
import io
import os
import shutil
import subprocess
import unittest
from unittest import mock

import labtest
from releaselib import programs, suite
from releaselib.root import Root


class InRoot(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0 or not labtest.can_unshare():
            print("partial: no root, or no mount namespaces")
            self.skipTest("needs root and mount namespaces")
        self.root = Root(os.path.join(self.enterContext(labtest.scratch()), "root"))
        for name in ("proc", "sys", "dev", "run", "etc"):
            os.makedirs(self.root.inside(name))
        for name in ("sh", "cat", "sleep", "unshare"):
            program = shutil.which(name)
            for path in (program, *programs.libraries(program)):
                os.makedirs(os.path.dirname(self.root.inside(path)), exist_ok=True)
                shutil.copy(path, self.root.inside(path))

    def test_it_sees_the_machine_and_may_make_namespaces(self):
        with open("/proc/1/comm", encoding="utf-8") as file:
            expected = file.read()
        self.assertEqual(self.root.run(["sh", "-c", "cat /proc/1/comm; unshare --mount --propagation private sh -c 'exit 5'"]),
                         (5, expected, ""))

    def test_nothing_stays_mounted(self):
        self.root.run(["sh", "-c", "echo text >/run/file"])
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            self.assertNotIn(self.root.path, file.read())
        self.assertEqual([os.listdir(self.root.inside(name)) for name in ("proc", "dev", "run")], [[], [], []])

    def test_what_is_left_running_is_ended(self):
        with self.root.popen(["sh", "-c", "sleep 1000 & echo $!"], stdout=subprocess.PIPE) as process:
            left = int(process.stdout.readline())
            process.wait()
            self.root.end_processes()
            process.stdout.read()       # ends when the last process that has it open has ended
        self.assertFalse(os.path.exists(f"/proc/{left}/exe"))


class Clone(unittest.TestCase):
    def setUp(self):
        if not shutil.which("git"):
            print("partial: no git")
            self.skipTest("needs git")
        folder = self.enterContext(labtest.scratch())
        self.source, self.root = os.path.join(folder, "source"), Root(os.path.join(folder, "root"))
        for path in (self.source, self.root.inside("/root")):
            os.makedirs(path)
        self.git("init", "--quiet")
        self.commit("one")

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.source, "-c", "user.name=n", "-c", "user.email=e", *arguments], check=True)

    def commit(self, text):
        with open(os.path.join(self.source, "file"), "w", encoding="utf-8") as file:
            file.write(text)
        self.git("add", "file")
        self.git("commit", "--quiet", "-m", text)

    def test_a_later_clone_keeps_what_was_built(self):
        folder = self.root.inside(suite.CLONE)
        suite.clone(self.root, self.source)
        os.mkdir(os.path.join(folder, "build"))
        self.commit("two")
        suite.clone(self.root, self.source)
        with open(os.path.join(folder, "file"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "two")
        self.assertTrue(os.path.isdir(os.path.join(folder, "build")))

    def test_changes_are_seen(self):
        self.assertFalse(suite.changed(self.source))
        with open(os.path.join(self.source, "file"), "a", encoding="utf-8") as file:
            file.write("more")
        self.assertTrue(suite.changed(self.source))


class FakeRoot(Root):
    """Its commands run here."""

    def popen(self, argv, environment=(), **options):
        return subprocess.Popen([self.inside(argv[0]), *argv[1:]], **options)


class Run(unittest.TestCase):
    def test_the_last_line_and_the_status_are_those_of_the_tests(self):
        root = FakeRoot(self.enterContext(labtest.scratch()))
        script = root.inside(f"{suite.CLONE}/tests/run")
        os.makedirs(os.path.dirname(script))
        os.makedirs(root.inside("/etc"))
        with open(script, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "ran $*"\necho "1 passed, 2 failed, 3 skipped"\necho\nexit 1\n')
        os.chmod(script, 0o755)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(suite.run(root, ["one"]), (1, "1 passed, 2 failed, 3 skipped"))
        self.assertIn("ran one\n", said.getvalue())


class Ways(unittest.TestCase):
    def fault(self, said, resident, read_ahead):
        """What is wrong with a way that says so, after which so many pages are in memory."""
        trial = programs.Trial.__new__(programs.Trial)
        trial.root = mock.Mock(run=lambda command, environment: said)
        counts = iter((0, resident))
        with mock.patch.object(trial, "_resident", lambda evict=False: next(counts)):
            return trial.fault(("command",), {}, None, read_ahead)

    def test_what_works(self):
        self.assertIsNone(self.fault(programs.EXPECTED, programs.PAGES * len(programs.DATA), True))
        self.assertIsNone(self.fault(programs.EXPECTED, 0, False))

    def test_what_does_not(self):
        self.assertIn("1 pages are in memory, not 256", self.fault(programs.EXPECTED, 1, True))
        self.assertIn("256 pages are in memory, not 0", self.fault(programs.EXPECTED, 256, False))
        self.assertIn("ERROR: ld.so", self.fault((7, "42", "ERROR: ld.so"), 256, True))


if __name__ == "__main__":
    unittest.main()
