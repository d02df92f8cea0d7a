# SPDX-License-Identifier: MIT
"""Starts that are slow for a reason, prepared here: the report names the reason first, and its causes add up to the time."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["HEADSTART_TEST_SOURCE"], "tests", "bench"))
import labtest                          # noqa: E402
from lab.device import Device           # noqa: E402

TOOL = os.path.join(labtest.BUILD, "tools", "headstart-tool")
# Asks a service over a socket, and gives up after two seconds.
ASKS = """
import select, socket, sys
ours = socket.socket(socket.AF_UNIX)
ours.connect(sys.argv[1])
ours.send(b"who are you?")
poll = select.poll()
poll.register(ours, select.POLLIN)
assert not poll.poll(2000)
"""
# Reads two pages at each of many places: one after a seek, and the one that follows it.
READS = """
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
for i in range(150):
    for page in (0, 1):
        os.pread(fd, 4096, (i * 37 % 150 * 100 + page) * 4096)
"""
# A service that the bus starts at the first call, and that never comes up.
HOLE = """[D-BUS Service]
Name=org.example.Hole
Exec=/bin/sleep 15
"""
BUS = """<busconfig><type>session</type><listen>unix:path={folder}/bus</listen><servicedir>{folder}/services</servicedir>
<policy context="default"><allow send_destination="*"/><allow receive_type="method_return"/><allow own="*"/></policy></busconfig>
"""
PAGES = 256
LIBRARY = f"""
#define PAGE 4096
static const char data[{PAGES}][PAGE] __attribute__((aligned(PAGE))) = {{[0 ... {PAGES} - 1] = "x"}};
int touch(void)
{{
	int sum = 0;
	for (unsigned i = 0; i < {PAGES}; i++)
		sum += *(const volatile char *)data[i * 97 % {PAGES}];
	return sum;
}}
"""
PROGRAM = f"int touch(void); int main(void) {{ return touch() != 'x' * {PAGES}; }}"


def build(folder, name, source, *options):
    path = os.path.join(folder, name)
    subprocess.run(["cc", "-O1", "-o", path, "-x", "c", "-", *options], input=source, text=True, check=True)
    return path


class SlowStarts(labtest.Undisturbed):
    def setUp(self):
        self.folder = self.enterContext(labtest.scratch())
        self.timeline = os.path.join(self.folder, "timeline")

    def trace(self, *command):
        with labtest.turn():
            while True:
                done = subprocess.run([TOOL, "trace", "--no-drop", "-o", self.timeline, "--", *command], check=False,
                                      capture_output=True, text=True, stdin=subprocess.DEVNULL)
                if "another recording is running" not in done.stderr:
                    break
                time.sleep(1)           # somebody's who does not take turns
        if done.returncode and "privileges" in done.stderr:
            self.leave_untried(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def report(self, *options):
        return subprocess.run([TOOL, "report", *options, self.timeline], check=True, capture_output=True, text=True,
                              env={**os.environ, "COLUMNS": "1000"}).stdout

    def check_sums(self, said):
        """Of the whole start, and of each process."""
        for part in (said, *said["processes"]):
            self.assertAlmostEqual(sum(part["causes"].values()), part["seconds"], delta=0.03 * part["seconds"] + 0.0001)
        self.assertAlmostEqual(sum(file["waited"] for file in said["files"]), said["causes"]["read"], places=3)

    def test_time_out_of_a_service(self):
        service = os.path.join(self.folder, "service")
        listening = self.enterContext(socket.socket(socket.AF_UNIX))
        listening.bind(service)
        listening.listen()
        self.trace("/usr/bin/python3", "-S", "-c", ASKS, service)
        said = json.loads(self.report("--json"))
        self.check_sums(said)
        self.assertEqual(max(said["causes"], key=said["causes"].get), "events", said["causes"])
        first = said["waits"][0]
        self.assertEqual((first["cause"], first["timed_out"]), ("events", True), first)
        self.assertGreaterEqual(first["waited"], 1.99)
        mostly = self.mostly()
        self.assertRegex(mostly, r"waiting for events \(poll, select, epoll\): 2\.\d of .*'python3' \(\d+\)")
        self.assertIn(f"{service}, of ", mostly)
        self.assertIn("nobody answered until its time was up", mostly)

    def mostly(self):
        line, = [line for line in self.report().splitlines() if line.startswith("  mostly ")]
        return line

    def test_service_on_the_bus_that_does_not_answer(self):
        self.need_programs("dbus-daemon", "dbus-send")
        bus = os.path.join(self.folder, "bus")
        os.mkdir(os.path.join(self.folder, "services"))
        for name, text in (("services/org.example.Hole.service", HOLE), ("bus.conf", BUS.format(folder=self.folder))):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        daemon = subprocess.Popen(["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile", "--print-address=1"],
                                  stdout=subprocess.PIPE, text=True)
        # communicate() would wait for the service, which has the same output.
        self.addCleanup(lambda: (daemon.kill(), daemon.wait(), daemon.stdout.close()))
        address = daemon.stdout.readline().strip()      # now it listens
        call = [shutil.which("dbus-send"), f"--bus={address}", "--print-reply", "--reply-timeout=2000",
                "--dest=org.example.Hole", "/", "org.example.Ask"]
        self.trace(*call)
        said = json.loads(self.report("--json"))
        self.check_sums(said)
        mostly = self.mostly()
        self.assertRegex(mostly, r"waiting for events \(poll, select, epoll\): 2\.\d of .*'dbus-send' \(\d+\)")
        self.assertIn(f"epoll): {bus}, of 'dbus-daemon' ({daemon.pid}), and nobody answered until its time was up", mostly)

    def test_fonts_without_a_cache(self):
        self.need_programs("mke2fs", "fc-list")
        fonts = subprocess.run(["fc-list", "--format", "%{file}\n"], check=True, capture_output=True, text=True).stdout.split("\n")
        fonts = sorted({font for font in fonts if font.endswith((".ttf", ".otf"))})[:12]
        if len(fonts) < 2:
            self.leave_untried("no fonts are installed")
        tree = os.path.join(self.folder, "tree")
        os.makedirs(os.path.join(tree, "fonts"))
        for font in fonts:
            shutil.copy(font, os.path.join(tree, "fonts"))
        image = os.path.join(self.folder, "image")
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d", tree, image, "64M"],
                       check=True, stdout=subprocess.DEVNULL)
        with Device("sdcard", image, slowdisk=labtest.SLOWDISK) as device:
            settings = os.path.join(self.folder, "fonts.conf")
            with open(settings, "w", encoding="utf-8") as file:
                file.write(f"<fontconfig><dir>{device.root}/fonts</dir><cachedir>{self.folder}/cache</cachedir></fontconfig>")
            device.delay(True)
            self.trace("/usr/bin/env", f"FONTCONFIG_FILE={settings}", shutil.which("fc-list"))
        said = json.loads(self.report("--json"))
        self.check_sums(said)
        self.assertEqual(max(said["causes"], key=said["causes"].get), "read", said["causes"])
        read = [file for file in said["files"] if file["path"].startswith(f"{device.root}/fonts/")]
        self.assertEqual(len(read), len(fonts), said["files"])
        self.assertRegex(self.mostly(), f"waiting for reads: .*s of it for {len(fonts)} files in {re.escape(device.root)}/fonts$")

    def test_disk_that_was_never_measured(self):
        """What prefetching would save is known from the reads of the start itself."""
        self.need_programs("mke2fs")
        tree = os.path.join(self.folder, "tree")
        os.mkdir(tree)
        with open(os.path.join(tree, "data"), "wb") as file:
            file.write(os.urandom(15000 * 4096))
        image = os.path.join(self.folder, "image")
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d", tree, image, "128M"],
                       check=True, stdout=subprocess.DEVNULL)
        with Device("hdd", image, slowdisk=labtest.SLOWDISK) as device:
            device.delay(True)
            said = self.trace("/usr/bin/python3", "-S", "-c", READS, f"{device.root}/data")
        self.assertRegex(said, r"prefetching is expected to save [\d.]+ s\.")
        said = json.loads(self.report("--json"))
        self.check_sums(said)
        self.assertGreater(said["expected_reads_prefetched"], 0)
        self.assertLess(said["expected_reads_prefetched"], said["causes"]["read"])

    def test_library_on_a_slow_disk(self):
        self.need_programs("mke2fs", "cc")
        tree = os.path.join(self.folder, "tree")
        os.mkdir(tree)
        build(tree, "libslow.so", LIBRARY, "-shared", "-fPIC", "-Wl,-soname,libslow.so")
        image = os.path.join(self.folder, "image")
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d", tree, image, "32M"],
                       check=True, stdout=subprocess.DEVNULL)
        with Device("hdd", image, slowdisk=labtest.SLOWDISK) as device:
            program = build(self.folder, "program", PROGRAM, f"-L{tree}", "-lslow", f"-Wl,-rpath,{device.root}")
            device.delay(True)
            self.trace(program)
        library = os.path.join(device.root, "libslow.so")
        said = json.loads(self.report("--json"))
        self.check_sums(said)
        self.assertEqual(max(said["causes"], key=said["causes"].get), "read", said["causes"])
        slow = [file for file in said["files"] if file["path"] == library]
        self.assertEqual(len(slow), 1, said["files"])
        self.assertGreaterEqual(slow[0]["bytes"], PAGES * 4096)
        self.assertGreater(slow[0]["reads"], 1)
        self.assertGreater(said["seeks"], 0)
        mostly = self.mostly()
        self.assertIn("waiting for reads: ", mostly)
        self.assertRegex(mostly, f"s of it for ({library}|/dev/loop[0-9]+ \\(inodes and folders\\))$")
        last = self.report().splitlines()[-1]
        self.assertRegex(last, r"^[\d.]+ of [\d.]+ s were waiting for \d+ reads, [\d.]+ s of it seeks; .*[\d.]+ s computing; .*\.$")


if __name__ == "__main__":
    if os.geteuid() != 0:
        labtest.skip("tracing needs root")
    labtest.need()
    unittest.main()
