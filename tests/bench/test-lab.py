# SPDX-License-Identifier: MIT
"""The lab on a small image: what is cold is really cold, counters count, runs are told from each other."""

import contextlib
import hashlib
import os
import unittest
from unittest import mock

import labtest
from lab import LabError, cold, image, kernel
from lab.device import Device
from lab.root import Root
from lab.variant import variant

PROBE = "/probe"
UNUSED = 20 << 20    # the end of the 32 MiB image, which nobody reads
DATA_PAGES = (1 << 20) // os.sysconf("SC_PAGESIZE")


def queue_of(loop):
    """How the block device's queue is set: rotational, read_ahead_kb, scheduler in use."""
    values = []
    for name in ("rotational", "read_ahead_kb", "scheduler"):
        with open(f"/sys/block/{os.path.basename(loop)}/queue/{name}", encoding="ascii") as file:
            values.append(file.read())
    return [*map(str.strip, values[:2]), next(word for word in values[2].split() if word[0] == "[")]


class Lab(labtest.Undisturbed):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(labtest.scratch())
        cls.image = labtest.small_image(folder)

    def setUp(self):
        self.device = self.enterContext(Device("none", self.image, slowdisk=labtest.SLOWDISK))
        self.root = Root(self.device)

    def probe(self, *what, **options):
        return self.root.run([PROBE, *what], **options)


class PageCache(Lab):
    def test_a_cold_run_reads_and_a_warm_one_does_not(self):
        cold.make_cold(self.device)
        first = self.probe("read=/data")
        self.assertEqual(first.stdout, b"1048576\n")
        self.assertGreater(first.counters["bytes_read"], 1 << 20)
        self.assertGreater(first.major_faults, 0)
        with labtest.kept(self.root, "/data", PROBE):
            cold.verify_warm(self.device.root, {"/data": DATA_PAGES})
            second = self.probe("read=/data")
        self.assertEqual((second.counters["reads"], second.major_faults), (0, 0))

    def test_metadata_is_cold_too(self):
        path = os.path.join(self.device.root, "a/b/c/deep")

        def reads_of_a_look():
            self.device.reset_counters()
            os.stat(path)
            return self.device.counters()["reads"]

        cold.make_cold(self.device, ["/a/b/c/deep"])
        self.assertGreaterEqual(reads_of_a_look(), 3)    # directories lie apart from inodes
        self.assertEqual(reads_of_a_look(), 0)
        cold.make_cold(self.device)                      # which looks at every file
        self.assertGreaterEqual(reads_of_a_look(), 3)

    def test_what_is_still_in_use_is_not_cold(self):
        with open(os.path.join(self.device.root, "data"), "rb"):
            with self.assertRaisesRegex(cold.NotCold, self.device.loop):
                cold.make_cold(self.device)
        cold.make_cold(self.device)

    def test_a_mount_in_another_namespace_is_not_cold(self):
        """Its unmount succeeds here, and yet the file system and all its pages live on."""
        ready_read, ready_write = os.pipe()
        end_read, end_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(end_write)
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
            os.write(ready_write, b"x")
            os.read(end_read, 1)
            os._exit(0)
        os.read(ready_read, 1)
        with self.assertRaisesRegex(cold.NotCold, self.device.loop):
            cold.make_cold(self.device)
        os.close(end_write)
        os.waitpid(pid, 0)
        for fd in (ready_read, ready_write, end_read):
            os.close(fd)
        self.device.mount()
        cold.make_cold(self.device)

    def test_resident_files(self):
        cold.make_cold(self.device)
        self.assertEqual(cold.resident_files(self.device.root), {})
        self.probe("read=/data")
        with labtest.kept(self.root, "/data"):
            resident = cold.resident_files(self.device.root)
        self.assertEqual(resident["/data"], DATA_PAGES)
        self.assertGreater(resident[PROBE], 0)
        self.assertEqual(set(resident), {"/data", PROBE})

    def test_mincore_agrees_with_cachestat(self):
        with labtest.kept(self.root, "/data"), open(self.root.inside("/data"), "rb") as file:
            self.assertEqual(kernel.resident_pages(file.fileno(), 1 << 20), DATA_PAGES)
            self.assertEqual(kernel._resident_by_mincore(file.fileno(), 1 << 20), DATA_PAGES)
        cold.make_cold(self.device)
        with open(os.path.join(self.device.root, "data"), "rb") as file:
            self.assertEqual(kernel._resident_by_mincore(file.fileno(), 1 << 20), 0)

    def test_warm_is_verified(self):
        self.device.reset_counters()
        with contextlib.suppress(cold.NotWarm):     # because the kernel dropped a page by itself
            cold.make_warm(self.device, ["/data", "/other"])
        self.assertGreater(self.device.counters()["bytes_read"], 1 << 20)
        with labtest.kept(self.root, "/data", "/other"):
            cold.make_warm(self.device, ["/data", "/other"])
            cold.verify_warm(self.device.root, ["/data"])
        cold.make_cold(self.device)
        with self.assertRaisesRegex(cold.NotWarm, f"{DATA_PAGES} of {DATA_PAGES} pages of '/data'"):
            cold.verify_warm(self.device.root, ["/data"])
        with self.assertRaisesRegex(cold.NotWarm, "2 of 2 pages of '/data'"):
            cold.verify_warm(self.device.root, {"/data": 2})


class ReadAgain(Lab):
    """In a run, that something else on the machine takes pages out of the page cache can never be ruled out."""

    def test_of_the_device(self):
        with open(os.path.join(os.path.dirname(self.device.root), "disk", "disk.img"), "r+b", buffering=0) as disk:
            def reread(offset, size):
                before = self.device.counters()["bytes_reread"]
                content = os.pread(disk.fileno(), size, offset)
                return self.device.counters()["bytes_reread"] - before, content

            self.device.reset_counters()
            self.assertEqual(reread(UNUSED, 8192)[0], 0)
            self.assertEqual(reread(UNUSED + 4096, 8192)[0], 4096)
            again, content = reread(UNUSED, 12288)
            self.assertEqual(again, 12288)
            os.pwrite(disk.fileno(), content[:4096], UNUSED)
            self.assertEqual(reread(UNUSED, 12288)[0], 8192)
            self.assertEqual(self.device.counters()["bytes_reread"], 24576)
            self.device.reset_counters()
            self.assertEqual(self.device.counters()["bytes_reread"], 0)
            self.assertEqual(reread(UNUSED, 12288)[0], 0)

    def test_of_a_run(self):
        cold.make_cold(self.device)
        self.assertLess(self.probe("read=/data").counters["bytes_reread"], 1 << 20)
        cold.make_cold(self.device)
        twice = self.probe("read=/data", "forget=/data", "read=/data")
        self.assertGreaterEqual(twice.counters["bytes_reread"], 1 << 20)


class Runs(Lab):
    def test_what_the_command_leaves_is_told(self):
        result = self.probe("env=WORD", "env=HOME", "complain=oh", "write=/root/out", "exit=3",
                            env={"WORD": "hello"}, outputs=("/root/out", "/root/none"))
        self.assertEqual((result.stdout, result.stderr), (b"hello\n/root\n", b"oh"))
        self.assertEqual((result.status, result.timed_out), (3, False))
        self.assertEqual(result.outputs,
                         {"/root/out": hashlib.sha256(b"written").hexdigest(), "/root/none": None})
        self.assertGreater(result.seconds, 0)
        self.assertEqual(self.probe("abort").status, -9)

    def test_a_run_knows_of_dropped_caches(self):
        self.assertFalse(self.probe("exit=0").caches_dropped)
        with mock.patch.object(cold, "drops", side_effect=[["drop_pagecache 1"], ["drop_pagecache 2"]]):
            self.assertTrue(self.probe("exit=0").caches_dropped)

    def test_private_folders_are_fresh_and_the_rest_stays(self):
        for folder in ("/root", "/tmp", "/run", "/dev/shm"):
            self.probe(f"write={folder}/left")
            self.assertEqual(self.probe(f"exists={folder}/left").stdout, b"no\n")
        self.probe("write=/left")
        cold.make_cold(self.device)
        self.assertEqual(self.probe("read=/left").stdout, b"7\n")

    def test_a_command_that_hangs_is_ended(self):
        for measured in (True, False):
            result = self.probe("spawn", "hang", timeout=0.2, measured=measured)
            self.assertEqual((result.timed_out, result.status), (True, -9))
            cold.make_cold(self.device)     # would find the file system in use

    def test_what_a_command_leaves_running_is_ended(self):
        for measured in (True, False):
            self.assertEqual(self.probe("spawn", measured=measured).status, 0)
            cold.make_cold(self.device)

    def test_namespaces(self):
        self.assertEqual(self.probe("pid").stdout, b"2\n")
        self.assertGreater(int(self.probe("pid", measured=False).stdout), 2)
        trace = "exists=/sys/kernel/tracing/trace_pipe"
        self.assertEqual(self.probe(trace, measured=False).stdout, b"yes\n")
        self.assertEqual(self.probe("read=/proc/net/route").stdout, b"128\n")   # the heading alone, and no route

    def test_a_command_that_is_not_there(self):
        with self.assertRaisesRegex(LabError, "cannot run 'nothing-like-it' in the image: No such file"):
            self.root.run(["nothing-like-it"])
        self.assertEqual(self.probe("exit=0").status, 0)


class Devices(Lab):
    def test_the_delay_is_that_of_the_model_and_only_during_the_run(self):
        with Device("sdcard", self.image, slowdisk=labtest.SLOWDISK) as device:
            root = Root(device)
            cold.make_cold(device)
            slow = root.run([PROBE, "read=/data"])
            self.assertGreater(slow.seconds, (1 << 20) / 16e6 + slow.counters["reads"] * 0.0001)
            cold.make_cold(device)
            fast = root.run([PROBE, "read=/data"], delay=False)
            different = [run.counters["bytes_read"] - run.counters["bytes_reread"] for run in (slow, fast)]
            self.assertEqual(*different)
            self.assertEqual(slow.counters["delayed"], slow.counters["reads"])
            self.assertEqual(fast.counters["delayed"], 0)

    def test_the_image_never_changes(self):
        def digest():
            with open(self.image, "rb") as file:
                return hashlib.file_digest(file, "sha256").digest()

        before = digest()
        self.assertEqual(self.probe("write=/left").status, 0)
        kernel.syncfs(self.device.root)
        self.assertGreater(self.device.counters()["bytes_written"], 0)
        self.assertEqual(digest(), before)
        with Device("none", self.image, slowdisk=labtest.SLOWDISK) as other:
            self.assertNotEqual(other.loop, self.device.loop)
            self.assertFalse(os.path.exists(os.path.join(other.root, "left")))

    def test_the_queue_is_the_models_and_then_as_it_was(self):
        before = {loop: queue_of(loop) for loop in os.listdir("/sys/block") if loop.startswith("loop")}
        self.assertEqual(queue_of(self.device.loop), ["0", "128", "[none]"])
        with Device("hdd", self.image, slowdisk=labtest.SLOWDISK) as hdd:
            self.assertEqual(queue_of(hdd.loop), ["1", "128", "[none]"])
        name = os.path.basename(hdd.loop)
        self.assertEqual(queue_of(name), before.get(name, queue_of(name)))    # the kernel may have created it only now

    def test_refusals(self):
        for arguments, words in ((("floppy", self.image), "no device model 'floppy'"),
                                 (("none", "/nowhere/image"), "cannot use the image '/nowhere/image'"),
                                 (("none", "/dev/null"), "cannot use the image '/dev/null'")):
            with self.assertRaisesRegex(LabError, words):
                Device(*arguments, slowdisk=labtest.SLOWDISK).__enter__()
        with self.assertRaisesRegex(LabError, "cannot run '/nowhere/slowdisk'"):
            Device("none", self.image, slowdisk="/nowhere/slowdisk").__enter__()


class Variants(Lab):
    def files(self, root):
        found = {}
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = (os.stat(path).st_mtime_ns, file.read())
        return found

    def test_a_variant_is_the_image_but_for_the_change(self):
        def change(tree):
            with open(os.path.join(tree, "data"), "ab") as file:
                file.write(b"more" * 1000000)

        expected = self.files(self.device.root)
        with mock.patch.dict(os.environ, HEADSTART_BENCH_CACHE=self.enterContext(labtest.scratch())):
            abandoned = os.path.join(image.cache_folder(), "variant.abandoned")
            os.mkdir(abandoned)
            with variant(self.image, change, labtest.SLOWDISK) as path:
                self.assertFalse(os.path.exists(abandoned))
                with variant(self.image, lambda tree: None, labtest.SLOWDISK):
                    self.assertTrue(os.path.exists(path), "taken for abandoned")
                device = self.enterContext(Device("none", path, slowdisk=labtest.SLOWDISK))
            self.assertEqual(os.listdir(image.cache_folder()), [])
            found = self.files(device.root)
        self.assertEqual(found.pop("data")[1], expected.pop("data")[1] + b"more" * 1000000)
        self.assertEqual(found, expected)
        self.assertEqual(Root(device).run([PROBE, "read=/data"]).stdout, b"5048576\n")


if __name__ == "__main__":
    labtest.need("mke2fs", "losetup")
    unittest.main()
