# SPDX-License-Identifier: MIT
"""fio confirms each device model: random-read latency and sequential throughput, within 5 % of the model's formula.

fio reads disk.img and not a loop device over it: the block layer cuts a read of 1 MiB into pieces, which a device with
a queue works on at once, and then the formula of one read is not what is measured.

Constant latencies are compared by their median, which little else on the machine moves; what does move it only makes
it longer, so a measurement that is off is made again, with a device that has measured FUSE anew. hdd's latency is
random: 600 samples have a standard error of 1.2 % of their mean, so 5 % are four of them; and the seeds are fixed.
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
SIZE = 1 << 30
TOLERANCE = 0.05
ATTEMPTS = 4


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
    with labtest.scratch() as folder:
        image, mountpoint = os.path.join(folder, "image"), os.path.join(folder, "disk")
        os.mkdir(mountpoint)
        with open(image, "wb") as file:
            file.truncate(SIZE)
        process = subprocess.Popen([labtest.SLOWDISK, "--model", model, "--seed", "1", image, mountpoint],
                                   stdout=subprocess.PIPE)
        try:
            if process.stdout.readline() != b"ready\n":
                raise AssertionError("slowdisk did not start")
            yield os.path.join(mountpoint, "disk.img")
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def fio(file, pattern, block, number, depth):
    """fio's results for `number` direct reads of `block` bytes."""
    command = ["fio", "--name=model", "--readonly", "--output-format=json", "--direct=1", f"--filename={file}",
               f"--size={SIZE}", f"--rw={pattern}", f"--bs={block}", f"--io_size={block * number}",
               f"--iodepth={depth}", f"--ioengine={'psync' if depth == 1 else 'libaio'}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=os.path.dirname(file) + "/..")
    return json.loads(output.stdout)["jobs"][0]["read"]


class Models(unittest.TestCase):
    def confirm(self, what, model, measure, expected):
        for _ in range(ATTEMPTS):
            with slowdisk(model) as file:
                measured = measure(file)
            error = measured / expected - 1
            print(f"{what}: {measured:.6g}, by the formula {expected:.6g} ({error:+.1%})")
            if abs(error) < TOLERANCE:
                return
        self.fail(f"{what} is {error:+.1%} off")

    def confirm_latency(self, model, seconds, number, mean=False):
        def measure(file):
            times = fio(file, "randread", 4096, number, 1)["clat_ns"]
            return (times["mean"] if mean else times["percentile"]["50.000000"]) / 1e9

        self.confirm(f"{model}, seconds of a 4 KiB read", model, measure, seconds)

    def confirm_throughput(self, model, bytes_per_second, mebibytes, depth=1):
        self.confirm(f"{model} at depth {depth}, bytes/s", model,
                     lambda file: fio(file, "read", MIB, mebibytes, depth)["bw_bytes"], bytes_per_second)

    def test_hdd(self):
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

    def test_none(self):
        """No formula: only what FUSE takes, which a model can make up for only if it takes more itself."""
        with slowdisk("none") as file:
            median = fio(file, "randread", 4096, 3000, 1)["clat_ns"]["percentile"]["50.000000"]
            self.assertLess(median, 250_000)    # emmc, the fastest


def prefer():
    """Runs this process and all that it starts before others: the model is to be measured, not a busy processor."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


if __name__ == "__main__":
    prefer()
    labtest.need("fio", loop=False)
    kernel.private_mounts()
    unittest.main()
