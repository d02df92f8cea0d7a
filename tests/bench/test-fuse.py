#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/fuse: a start ends with its prefetchers, and begins with nothing in the page cache."""

import mmap
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import labtest

fuse = labtest.program("fuse")


class Starts(labtest.Undisturbed):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="headstart-test.", dir="/var/tmp"))     # a disk, mostly

    def test_what_is_left_behind_is_waited_for(self):
        path, pipe = os.path.join(self.folder, "done"), os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)

        def leave():
            subprocess.run(["setsid", "sh", "-c", f"(read line <{pipe}; : >{path}) & exit 0"], check=True)
            subprocess.Popen(["sh", "-c", f"echo go >{pipe}"])
            return {"ms": 1}

        self.assertEqual(fuse.in_a_process(leave), {"ms": 1})
        self.assertTrue(os.path.exists(path), "it did not wait")

    def test_a_start_that_fails_ends_it(self):
        with self.assertRaisesRegex(SystemExit, "a start failed"):
            fuse.in_a_process(lambda: fuse.start(["false"], {}))

    def test_pages_that_stay_are_no_cold_start(self):
        if os.geteuid() != 0:
            print("partial: no root, who alone is told which pages are in memory", flush=True)
            self.skipTest("needs root")
        path = os.path.join(self.folder, "file")
        with open(path, "wb") as file:
            file.write(os.urandom(1 << 16))
        with open(path, "rb") as file, mock.patch.object(fuse, "DROPS", 2):
            try:
                fuse.drop(path)
            except SystemExit:
                print("partial: /var/tmp lies in memory", flush=True)
                self.skipTest("pages of files in memory cannot be dropped")
            with mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED | mmap.MAP_POPULATE, mmap.PROT_READ) as pages:
                self.assertEqual(len(pages[::mmap.PAGESIZE]), 16)
                with self.assertRaisesRegex(SystemExit, "stay in the page cache"):
                    fuse.drop(path)


if __name__ == "__main__":
    unittest.main()
