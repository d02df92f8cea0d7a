# SPDX-License-Identifier: MIT
"""Each device model takes the time that its formula says, and fio sees it.

The proof is the device's own log: for each read when it came and when the model had it complete. From these, the formula of
docs/measurements.md ("Device models"), written down here a second time, must give the same times to the nanosecond. That depends
on nothing else the machine does.

What fio measures beside that is a report: random-read latency and sequential throughput, as a program sees them. It is to be
within 5 % of the formula, and as much more as programs waited for a processor meanwhile, or this machine for its host. Beyond
that it is measured again, with a device that has measured FUSE anew; in the end the case is partial, not failed.

fio reads disk.img and not a loop device over it: the block layer cuts a read of 1 MiB into pieces, which a device with
a queue works on at once, and then the formula of one read is not what is measured.
"""

import contextlib
import json
import math
import os
import random
import subprocess
import unittest

import labtest
from lab import kernel

MB, MIB, KIB = 10**6, 1 << 20, 1 << 10
MS, US = 10**6, 10**3       # ns
SIZE = 1 << 30
SEED = 1
TOLERANCE = 0.05
ATTEMPTS = 3
ROUNDING = 10               # ns
EARLY = 150 * US            # an answer is sent at most this long before its time, to make up for FUSE and for a late timer


class Formula:
    """The service times of a model: latency, bytes a second, reads at once, whether these share the bandwidth."""

    def __init__(self, latency, rate, queue=1, shared=False, seeks=False):
        self.latency, self.rate, self.shared, self.seeks = latency, rate, shared, seeks
        self.servers = [0] * queue
        self.link = self.head = 0
        self.random = SEED

    def turn(self):
        """SplitMix64: how much of a turn the head waits for. The device draws a number for each read."""
        self.random = (self.random + 0x9e3779b97f4a7c15) % 2**64
        z = self.random
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb % 2**64
        return ((z ^ (z >> 31)) >> 11) / 2**53

    def transfer(self, size):
        return size * 10**9 / self.rate

    def seek(self, offset):
        distance, turn = offset - self.head, self.turn()
        if not self.seeks or distance == 0:
            return 0
        if 0 < distance < 512 * KIB:
            return self.transfer(distance)
        return 2 * MS + 16 * MS * math.sqrt(abs(distance) / SIZE) + 11.2 * MS * turn

    def complete(self, came, offset, size):
        """When the read should be complete, ns."""
        start = max(came, min(self.servers)) + self.seek(offset)
        if self.shared:
            start = max(start, self.link)
        return start + self.transfer(size) + self.latency

    def is_complete(self, when, offset, size):
        """It is, by the device: which rounds, so the next read goes by that."""
        self.servers[self.servers.index(min(self.servers))] = when
        self.link = when - self.latency
        self.head = offset + size


class Lazy(Formula):
    """The blocks of a read are fetched from elsewhere when it is the first that touches them."""

    BLOCK, FETCH = 512 * KIB, 30 * MS

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.there = {}         # block -> when it is

    def complete(self, came, offset, size):
        began = max(came, min(self.servers))
        self.link = max(began, self.link) + int(self.transfer(size))
        blocks = range(offset // self.BLOCK, (offset + size - 1) // self.BLOCK + 1)
        return max(self.link, *(self.there.setdefault(block, began + self.FETCH) for block in blocks)) + self.latency

    def is_complete(self, when, offset, size):
        self.servers[self.servers.index(min(self.servers))] = when


FORMULAS = {
    "hdd": lambda: Formula(0.1 * MS, 60 * MB, seeks=True),
    "sdcard": lambda: Formula(0.6 * MS, 16 * MB),
    "emmc": lambda: Formula(0.25 * MS, 120 * MB, queue=4),
    "cloud": lambda: Formula(0.8 * MS, 125 * MB, queue=64, shared=True),
    "lazy": lambda: Lazy(0.8 * MS, 125 * MB, queue=256, shared=True),
    "ssd": lambda: Formula(0.1 * MS, 520 * MB, queue=32, shared=True),
    "virtual": lambda: Formula(0.1 * MS, 520 * MB, queue=32, shared=True),
    "nvme": lambda: Formula(0.08 * MS, 3000 * MB, queue=64, shared=True),
    "none": lambda: Formula(0, math.inf),
}


def hdd_random_latency(samples=200_000):
    """Mean seconds of a 4 KiB read at a uniformly random place after another such, by the formula."""
    numbers = random.Random(1)
    total = 0.0
    for _ in range(samples):
        distance = numbers.randrange(SIZE) - numbers.randrange(SIZE)
        total += 0.0001 + 4096 / (60 * MB)
        if 0 < distance < 512 * KIB:
            total += distance / (60 * MB)
        else:
            total += 0.002 + 0.016 * math.sqrt(abs(distance) / SIZE) + 0.0112 * numbers.random()
    return total / samples


@contextlib.contextmanager
def slowdisk(model):
    """Yields the file, and a list that has the lines of the log afterwards."""
    with labtest.scratch() as folder:
        image, mountpoint, log = (os.path.join(folder, name) for name in ("image", "disk", "log"))
        os.mkdir(mountpoint)
        with open(image, "wb") as file:
            file.truncate(SIZE)
        process = subprocess.Popen([labtest.SLOWDISK, "--model", model, "--seed", str(SEED), "--log", log, image, mountpoint],
                                   stdout=subprocess.PIPE)
        reads = []
        try:
            if process.stdout.readline() != b"ready\n":
                raise AssertionError("slowdisk did not start")
            yield os.path.join(mountpoint, "disk.img"), reads
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()
        with open(log, encoding="ascii") as lines:
            reads += [tuple(map(int, line.split())) for line in lines]


def fio(file, pattern, block, number, depth):
    """fio's results for `number` direct reads of `block` bytes."""
    command = ["fio", "--name=model", "--readonly", "--output-format=json", "--direct=1", f"--filename={file}",
               f"--size={SIZE}", f"--rw={pattern}", f"--bs={block}", f"--io_size={block * number}",
               f"--iodepth={depth}", f"--ioengine={'psync' if depth == 1 else 'libaio'}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=os.path.dirname(file) + "/..")
    return json.loads(output.stdout)["jobs"][0]["read"]


class Models(unittest.TestCase):
    def check_log(self, model, reads):
        """Each read of the log is complete when the formula says so, and answered then."""
        formula = FORMULAS[model]()
        formula.head = min(4096, SIZE)      # where the device finished its own measurement of FUSE
        for came, complete, answered, offset, size in sorted(reads):
            expected = formula.complete(came, offset, size)
            formula.is_complete(complete, offset, size)
            self.assertAlmostEqual(complete, expected, delta=ROUNDING,
                                   msg=f"{model}: {size} bytes at {offset} took {complete - came} ns, not {expected - came:.0f}")
            self.assertGreater(answered, complete - EARLY, f"{model}: {size} bytes at {offset} were answered too soon")

    def confirm(self, what, model, measure, expected, reads_at_least):
        for _ in range(ATTEMPTS):
            before = labtest.counters()
            with slowdisk(model) as (file, reads):
                measured = measure(file)
                tolerance = TOLERANCE + labtest.load_since(before)
            self.assertGreaterEqual(len(reads), reads_at_least)
            self.check_log(model, reads)
            error = measured / expected - 1
            report = f"{what}: fio measured {measured:.6g}, by the formula {expected:.6g} ({error:+.1%} of {tolerance:.1%})"
            print(report)
            if abs(error) < tolerance:
                return
        print(f"partial: not confirmed by fio: {report}")

    def confirm_latency(self, model, seconds, number, mean=False):
        def measure(file):
            times = fio(file, "randread", 4096, number, 1)["clat_ns"]
            return (times["mean"] if mean else times["percentile"]["50.000000"]) / 1e9

        self.confirm(f"{model}, seconds of a 4 KiB read", model, measure, seconds, number)

    def confirm_throughput(self, model, bytes_per_second, mebibytes, depth=1):
        self.confirm(f"{model} at depth {depth}, bytes/s", model,
                     lambda file: fio(file, "read", MIB, mebibytes, depth)["bw_bytes"], bytes_per_second, mebibytes)

    def test_hdd(self):
        """600 samples have a standard error of 1.2 % of their mean, so 5 % are four of them; and the seeds are fixed."""
        self.confirm_latency("hdd", hdd_random_latency(), 600, mean=True)
        self.confirm_throughput("hdd", MIB / (0.0001 + MIB / (60 * MB)), 64)

    def test_sdcard(self):
        self.confirm_latency("sdcard", 0.0006 + 4096 / (16 * MB), 1000)
        self.confirm_throughput("sdcard", MIB / (0.0006 + MIB / (16 * MB)), 32)

    def test_emmc(self):
        self.confirm_latency("emmc", 0.00025 + 4096 / (120 * MB), 3000)
        self.confirm_throughput("emmc", MIB / (0.00025 + MIB / (120 * MB)), 128)

    def test_emmc_works_on_four_at_once(self):
        self.confirm_throughput("emmc", 4 * MIB / (0.00025 + MIB / (120 * MB)), 512, depth=8)

    def test_cloud(self):
        self.confirm_latency("cloud", 0.0008 + 4096 / (125 * MB), 1000)
        self.confirm_throughput("cloud", 125 * MB, 256, depth=8)

    def test_lazy(self):
        self.confirm_latency("lazy", 0.0308, 200)      # random pages of 2,048 blocks: most are the first of theirs
        self.confirm_throughput("lazy", MIB / 0.0308, 32)

    def test_lazy_fetches_many_at_once(self):
        self.confirm_throughput("lazy", 125 * MB, 256, depth=32)

    def test_ssd(self):
        self.confirm_latency("ssd", 0.0001 + 4096 / (520 * MB), 3000)
        self.confirm_throughput("ssd", 520 * MB, 512, depth=8)

    def test_virtual(self):
        self.confirm_latency("virtual", 0.0001 + 4096 / (520 * MB), 3000)

    def test_nvme(self):
        self.confirm_latency("nvme", 0.00008 + 4096 / (3000 * MB), 3000)
        self.confirm_throughput("nvme", 3000 * MB, 1024, depth=8)

    def test_none(self):
        """Complete as soon as it comes: what is left is what FUSE takes, which a model makes up for by answering sooner."""
        with slowdisk("none") as (file, reads):
            median = fio(file, "randread", 4096, 3000, 1)["clat_ns"]["percentile"]["50.000000"]
        self.check_log("none", reads)
        if median > 250 * US:    # of emmc
            print(f"partial: not confirmed by fio: none: a 4 KiB read takes {median / US:.0f} us, more than one of emmc")


def prefer():
    """Runs this process and all that it starts before others: the model is to be measured, not a busy processor."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


if __name__ == "__main__":
    prefer()
    labtest.need("fio", loop=False)
    kernel.private_mounts()
    unittest.main()
