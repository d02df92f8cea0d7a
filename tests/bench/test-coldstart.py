#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/coldstart from end to end: a small image on the model without delay, headstart installed and recording in it."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import labtest

COLDSTART = os.path.join(labtest.BENCH, "coldstart")
TOOL = os.path.join(labtest.BUILD, "tools", "headstart-tool")
SHELL = "/bin/dash"


def image(folder):
    """An ext4 image with a shell, what headstart needs, and a file to read."""
    tree = os.path.join(folder, "tree")
    for name in ("bin", "dev", "proc", "root", "run", "sys", "tmp", "usr/share"):
        os.makedirs(os.path.join(tree, name))
    for source in {SHELL, *labtest.libraries(SHELL), *labtest.libraries(TOOL)}:
        labtest.copy_into(tree, source)
    os.symlink(SHELL, os.path.join(tree, "bin/sh"))
    with open(os.path.join(tree, "usr/share/data"), "w", encoding="ascii") as file:
        file.write("0123456789abcdef\n" * 16384)
    path = os.path.join(folder, "image")
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-E", "root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0",
                    "-d", tree, path, "128M"], check=True, stdout=subprocess.DEVNULL)
    return path


class Coldstart(labtest.Undisturbed):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(labtest.turn())
        cls.folder = tempfile.mkdtemp(prefix="headstart-test.")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.image = image(cls.folder)

    def coldstart(self, arms, script, *options):
        """(exit status, JSON or None, stdout, stderr) of a measurement of a shell script."""
        path = os.path.join(self.folder, "result.json")
        if os.path.exists(path):
            os.unlink(path)
        done = subprocess.run([COLDSTART, "--device", "none", "--arms", arms, "--runs", "3", "--json", path,
                               "--image", self.image, "--build", labtest.BUILD, *options,
                               "--", SHELL, "-c", script], capture_output=True, text=True, check=False)
        result = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
        self.assertNotIn("Traceback", done.stderr)
        if "another recording is running on this machine" in done.stderr:
            print("partial: somebody else is recording on this machine", flush=True)
            self.skipTest("somebody else is recording on this machine")
        return done.returncode, result, done.stdout, done.stderr

    def test_measures(self):
        chart = os.path.join(self.folder, "chart.svg")
        status, result, table, said = self.coldstart(
            "files,run,sweep-run,run-other,run-merged,ptrace-run,audit,warm-run", "read line </usr/share/data; echo $line >/root/out; echo done",
            "--chart", chart, "--output", "/root/out")
        self.assertEqual(status, 0, said + table)
        self.assertEqual(list(result["arms"]), ["nothing", "files", "run", "sweep-run", "run-other", "run-merged", "ptrace-run",
                                                "audit", "warm", "warm-run"])
        arms = result["arms"]
        for name, arm in arms.items():
            self.assertEqual(arm["n"], 3)
            self.assertEqual(len(arm["seconds"]), 3)
            self.assertEqual(len(arm["bytes_reread_of_runs"]), 3)
            self.assertTrue(any(line.startswith(name + " ") for line in table.splitlines()), table)
        self.assertGreater(arms["nothing"]["bytes_read"], 200000)
        self.assertEqual(arms["nothing"]["bytes_prefetched"], 0)
        self.assertEqual(arms["warm"]["bytes_read"], 0)
        self.assertEqual(arms["warm-run"]["bytes_prefetched"], 0)
        for name in ("files", "run", "sweep-run", "run-other", "run-merged", "ptrace-run", "audit"):
            self.assertGreater(arms[name]["bytes_used"], 100000, name)
            self.assertGreaterEqual(arms[name]["bytes_prefetched"], arms[name]["bytes_used"], name)
        self.assertLess(arms["run"]["bytes_prefetched"], arms["files"]["bytes_prefetched"])
        self.assertEqual(arms["run"]["bytes_prefetched"], arms["sweep-run"]["bytes_prefetched"])    # of data
        self.assertTrue(xml.etree.ElementTree.parse(chart).getroot().tag.endswith("svg"))

    def test_shells(self):
        names = ("shell-run", "preload", "cold-shell-run", "cold-shell-preload", "system", "cold-shell-system",
                 "warm-preload")
        status, result, table, said = self.coldstart(",".join(names), "read line </usr/share/data; echo $line")
        self.assertEqual(status, 0, said + table)
        for name in names[:-1]:
            self.assertGreater(result["arms"][name]["bytes_used"], 100000, name)
        self.assertEqual(result["arms"]["warm-preload"]["bytes_prefetched"], 0)

    def test_an_image_laid_out_anew(self):
        status, result, table, said = self.coldstart("rewritten", "read line </usr/share/data; echo $line")
        self.assertEqual(status, 0, said + table)
        self.assertEqual(list(result["arms"]), ["nothing", "rewritten", "warm"])
        nothing, rewritten = (result["arms"][name] for name in ("nothing", "rewritten"))
        self.assertAlmostEqual(nothing["bytes_read"], rewritten["bytes_read"], delta=0.1 * nothing["bytes_read"])

    def test_a_start_recorded_twice_is_placed(self):
        status, result, table, said = self.coldstart("placed,placed-run", "read line </usr/share/data; echo $line",
                                                     "--recordings", "2")
        self.assertEqual(status, 0, said + table)
        self.assertEqual(result["recordings"], 2)
        self.assertEqual(list(result["arms"]), ["nothing", "placed", "placed-run", "warm"])
        for disk in result["placed"]["disks"]:    # none, if nothing is gained on this image
            self.assertGreater(disk["files"]["moved"], 0)
        self.assertGreater(result["arms"]["placed-run"]["bytes_used"], 100000)

    def test_what_differs_under_an_arm_has_no_time(self):
        status, result, table, _ = self.coldstart("files,audit", "echo ${LD_AUDIT+audited}")
        self.assertEqual(status, 1)
        self.assertIsNone(result["arms"]["audit"]["median_s"])
        self.assertIn("differs from 'nothing' in stdout", result["arms"]["audit"]["failures"][0]["what"])
        self.assertIsNotNone(result["arms"]["files"]["median_s"])
        self.assertIn("audit: differs from 'nothing' in stdout", table)

    def test_what_hangs_under_an_arm_has_no_time(self):
        for seconds in (1, 4, 16, 64):     # on a busy machine the other arms may need this long
            status, result, table, _ = self.coldstart("audit", "while [ ${LD_AUDIT+x} ]; do :; done",
                                                      "--timeout", str(seconds))
            if result:
                break
        self.assertEqual(status, 1)
        self.assertIsNone(result["arms"]["audit"]["median_s"])
        self.assertIn(f"audit: did not end within {seconds} s", table)

    def test_a_command_that_fails_by_itself(self):
        status, result, _, said = self.coldstart("run", "echo no such luck >&2; exit 5")
        self.assertEqual((status, result), (1, None))
        self.assertEqual(said, "coldstart: the command failed with exit status 5 without headstart and delay: "
                               "no such luck\n")

    def test_a_command_that_does_not_exist(self):
        done = subprocess.run([COLDSTART, "--device", "none", "--image", self.image, "--build", labtest.BUILD,
                               "--arms", "nothing", "--", "/no/such/program"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot run '/no/such/program' in the image", done.stderr)


if __name__ == "__main__":
    labtest.need("mke2fs", "meson", "ldd")
    if not os.path.exists(SHELL):
        labtest.skip(f"needs '{SHELL}'")
    unittest.main()
