# SPDX-License-Identifier: MIT
"""A disk is what a recording measures it to be, not what it calls itself: one that calls itself rotational and has 0.1 ms, and a
hard disk that says it is none."""

import json
import os
import random
import shutil
import subprocess
import time
import unittest

import labtest
from lab.device import Device

TOOL = os.path.join(labtest.BUILD, "tools", "headstart-tool")
SMALL, LARGE = 300, 6                   # files
READ = 8192                             # bytes of each file that the program reads: its first line
# awk, which takes their names from a list: what a command line names is left out of the plan
SCRIPT = "BEGIN { while ((getline name < list) > 0) { getline line < name; close(name) } }"


def make_image(folder):
    """An ext4 image with a program and many files, and room to sound: most of each file is never read."""
    tree = os.path.join(folder, "tree")
    os.mkdir(tree)
    shutil.copy(shutil.which("mawk"), os.path.join(tree, "program"))
    for i in range(SMALL + LARGE):
        text = os.urandom(32 << 10 if i < SMALL else 2 << 20).hex()
        with open(os.path.join(tree, f"file{i:03}"), "w", encoding="ascii") as file:
            file.write(f"{text[:READ - 1]}\n{text[READ:]}")
    path = os.path.join(folder, "image")
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d", tree, path, "96M"],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def call_itself(loop, rotational):
    queue = f"/sys/block/{os.path.basename(loop)}/queue"
    for name, value in (("rotational", rotational), ("read_ahead_kb", 128)):    # the kernel changes it with the former
        with open(os.path.join(queue, name), "w", encoding="ascii") as file:
            file.write(str(value))


class MeasuredDisk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(labtest.scratch())
        cls.image = make_image(cls.folder)

    def tool(self, *arguments, json_of=None):
        while True:
            done = subprocess.run([TOOL, *arguments], check=False, capture_output=True, text=True, env={
                **os.environ, "HEADSTART_STATE": self.state}, stdin=subprocess.DEVNULL)
            if "another recording is running" not in done.stderr:
                break
            time.sleep(1)                           # somebody's who does not take turns
        if json_of is None:
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        return json.loads(done.stdout)

    def start_on(self, model):
        self.state = os.path.join(self.folder, f"state-{model}")
        device = self.enterContext(Device(model, self.image, slowdisk=labtest.SLOWDISK))
        device.delay(True)
        self.program = os.path.join(device.root, "program")
        self.files = [os.path.join(device.root, f"file{i:03}") for i in range(SMALL + LARGE)]
        random.Random(1).shuffle(self.files)
        return device

    def record(self):
        names = os.path.join(self.folder, "names")
        with open(names, "w", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in self.files)
        with labtest.turn():
            said = self.tool("record", "--until", "exit", "--", self.program, "-v", f"list={names}", SCRIPT)
        print(said, end="")
        return said

    def plan(self):
        name, = [name for name in os.listdir(self.state) if name.endswith(".plan")]
        return self.tool("show", "--json", os.path.join(self.state, name), json_of=True)

    def disk_findings(self, device):
        findings = self.tool("doctor", "--json", self.program, json_of=True)["findings"]
        name = f"'{os.path.basename(device.loop)}'"
        return [f["what"] + " " + (f["consequence"] or "") for f in findings if f["subject"] == "disk" and name in f["what"]]

    def planned_files(self, plan):
        """The files in the order in which they are first read."""
        paths = [plan["files"][extent["file"]]["path"] for extent in plan["extents"]]
        return [path for path in dict.fromkeys(paths) if path in self.files]

    def test_fast_disk_that_calls_itself_rotational(self):
        device = self.start_on("virtual")
        self.assertIn("rotational", self.disk_findings(device)[0])
        said = self.record()
        plan = self.plan()
        self.assertEqual((plan["order"], plan["wait_ms"]), ("touch", 0), said)
        self.assertEqual(self.planned_files(plan), self.files)
        found, = self.disk_findings(device)
        self.assertIn("measured to be solid", found)
        self.assertIn("no seeks", found)
        self.assertIn(" reads of a recording on 20", found)

    def test_hard_disk_that_says_it_is_none(self):
        device = self.start_on("hdd")
        call_itself(device.loop, rotational=0)
        self.assertIn("solid", self.disk_findings(device)[0])
        said = self.record()
        plan = self.plan()
        self.assertEqual(plan["order"], "physical", said)
        self.assertGreater(plan["wait_ms"], 1000)       # hundreds of seeks
        self.assertEqual(self.planned_files(plan), sorted(self.files, key=self.files_on_disk().index))
        found, = self.disk_findings(device)
        self.assertIn("measured to be rotational", found)
        self.assertIn("more for a seek", found)
        # a setting knows better
        config = os.path.join(self.folder, "conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"[devices]\n{device.loop} = solid\n")
        os.environ["HEADSTART_CONFIG"] = config
        self.addCleanup(os.environ.pop, "HEADSTART_CONFIG")
        self.tool("plan", "--program", self.program)
        self.assertEqual((self.plan()["order"], self.plan()["wait_ms"]), ("touch", 0))

    def files_on_disk(self):
        def place(path):
            said = subprocess.run(["filefrag", "-b4096", "-v", path], check=True, capture_output=True, text=True).stdout
            return int(next(line for line in said.splitlines() if line.strip().startswith("0:")).split()[3].rstrip("."))
        return sorted(self.files, key=place)


if __name__ == "__main__":
    labtest.need("mke2fs", "filefrag", "head")
    if not os.path.exists(TOOL):
        labtest.skip("this build has no recorder")
    unittest.main()
