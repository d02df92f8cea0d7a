/* SPDX-License-Identifier: MIT */
/* Unit tests of the doctor's checks of a machine. */
#include "fake-host.h"

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/texts/read-ahead-note.h"

static void parts(void **state)
{
	finds(check_parts, DOCTOR_PROBLEM, "headstart-prefetch' is missing");
	assert_null(report.findings[0].mend); /* the command depends on how it was installed */
	put("/usr/lib/headstart/headstart-prefetch", "");
	finds(check_parts, DOCTOR_OK, "without the shims (package libheadstart)");
	finds(check_parts, DOCTOR_OK,
		"'headstart run', 'headstart install --app' and headstartd work without them");
	put("/usr/lib/headstart/libheadstart-audit.so", "");
	finds(check_parts, DOCTOR_PROBLEM, "libheadstart-preload.so' is missing");
	put("/usr/lib/headstart/libheadstart-preload.so", "");
	finds(check_parts, DOCTOR_OK, "shims and prefetcher in /usr/lib/headstart");
}

static void switches(void **state)
{
	finds(check_switches, DOCTOR_OK, "not switched off");
	put("/etc/headstart/disable", "");
	finds(check_switches, DOCTOR_PROBLEM, "sudo rm /etc/headstart/disable");
	end_on_fake_host(state);
	begin_on_fake_host(state);
	set("HEADSTART", "off");
	finds(check_switches, DOCTOR_PROBLEM, "unset HEADSTART");
	set("HEADSTART", "of");
	finds(check_switches, DOCTOR_NOTE, "'of' is not a value for HEADSTART");
	set("HEADSTART", "plan");
	finds(check_switches, DOCTOR_OK, "HEADSTART=plan");
	set("HEADSTART", "");
	finds(check_switches, DOCTOR_OK, "not switched off");
}

static void glibc(void **state)
{
	finds(check_glibc, DOCTOR_OK, "2.36");
	host.glibc = "2.42.9000";
	finds(check_glibc, DOCTOR_OK, "2.42.9000");
	host.glibc = "2.35";
	finds(check_glibc, DOCTOR_NOTE, "DT_RELR");
	host.glibc = "2.34";
	finds(check_glibc, DOCTOR_NOTE, "slower as long as it runs");
	host.glibc = "2.31";
	finds(check_glibc, DOCTOR_PROBLEM, "no tunable helps");
	host.glibc = "no version";
	finds(check_glibc, DOCTOR_PROBLEM, "unknown version");
}

static void kernel(void **state)
{
	finds(check_kernel, DOCTOR_OK, "6.18.1");
	host.kernel = "6.12.0-rc1";
	finds(check_kernel, DOCTOR_OK, "73 program headers");
	host.kernel = "6.1.0-18-amd64";
	finds(check_kernel, DOCTOR_OK, "RWF_NOWAIT");
	host.kernel = "4.19.0";
	finds(check_kernel, DOCTOR_NOTE, "RESOLVE_CACHED");
	host.kernel = "";
	finds(check_kernel, DOCTOR_NOTE, "unknown version");
}

static void recording(void **state)
{
	host.user = 1000;
	finds(check_recording, DOCTOR_OK, "sudo headstart doctor");
	finds(check_recording, DOCTOR_OK, "without root a recording is less exact");
	host.user = 0;
	finds(check_recording, DOCTOR_NOTE, "no tracing file system");
	finds(check_recording, DOCTOR_NOTE, "follows the program by ptrace instead");
	put("/proc/filesystems", "nodev\ttmpfs\nnodev\ttracefs\n\text4\n");
	finds(check_recording, DOCTOR_OK, "need not be");
	put("/sys/kernel/debug/tracing/events/enable", "0\n");
	finds(check_recording, DOCTOR_NOTE, "no filemap tracepoints");
	finds(check_recording, DOCTOR_NOTE, "follows the program by ptrace instead");
	put("/sys/kernel/debug/tracing/events/filemap/mm_filemap_add_to_page_cache/id", "1\n");
	finds(check_recording, DOCTOR_NOTE, "falls back");
	put("/sys/kernel/debug/tracing/events/filemap/mm_filemap_fault/id", "2\n");
	finds(check_recording, DOCTOR_OK, "mm_filemap_fault");
	host.fanotify = -EPERM;
	finds(check_recording, DOCTOR_NOTE, "may not use fanotify");
	finds(check_recording, DOCTOR_NOTE, "searches the file systems");
}

static void io_uring(void **state)
{
	finds(check_io_uring, DOCTOR_OK, "works");
	host.io_uring_built = false;
	finds(check_io_uring, DOCTOR_NOTE, "built without liburing");
	host.io_uring_built = true;
	host.io_uring = -ENOSYS;
	finds(check_io_uring, DOCTOR_NOTE, "has none");
	host.io_uring = -EPERM;
	finds(check_io_uring, DOCTOR_NOTE, "seccomp");
	put("/proc/sys/kernel/io_uring_disabled", "2\n");
	finds(check_io_uring, DOCTOR_NOTE, "sudo sysctl -w kernel.io_uring_disabled=0");
	put("/proc/sys/kernel/io_uring_disabled", "1\n");
	finds(check_io_uring, DOCTOR_NOTE, "io_uring_disabled is 1");
	put("/proc/sys/kernel/io_uring_disabled", "frob");
	finds(check_io_uring, DOCTOR_NOTE, "seccomp");
}

static void seccomp(void **state)
{
	finds(check_seccomp, DOCTOR_OK, "no filter");
	put("/proc/self/status", "Seccomp:\t2\n");
	finds(check_seccomp, DOCTOR_NOTE, "the shims do nothing");
	put("/proc/self/status", "Name:\tSeccomp:\t2\nSeccomp:\n");
	finds(check_seccomp, DOCTOR_PROBLEM, "cannot be read");
}

static void container(void **state)
{
	finds(check_container, DOCTOR_OK, "none");
	put("/proc/self/mountinfo",
		"22 1 254:0 / / rw - ext4 /dev/vda rw\n30 22 0:40 / /mnt rw - overlay overlay rw\n");
	finds(check_container, DOCTOR_OK, "none");
	put("/proc/self/mountinfo", "22 1 0:40 / / rw,relatime - overlay overlay rw,lowerdir=/l\n");
	finds(check_container, DOCTOR_OK, "its root is an overlay");
	host.residency = -EOPNOTSUPP;
	finds(check_container, DOCTOR_NOTE, "until its files have been looked up");
	put("/run/.containerenv", "");
	finds(check_container, DOCTOR_NOTE, "Podman");
	end_on_fake_host(state);
	begin_on_fake_host(state);
	set("container", "lxc");
	finds(check_container, DOCTOR_NOTE, "in the environment");
}

static void a_pid_namespace(void **state)
{
	char full[PATH_MAX];

	put("/proc/thread-self/ns/other", "");
	assert_true(host_path(&host, "/proc/thread-self/ns/pid_for_children", full));
	assert_int_equal(symlink("pid:[4026531836]", full), 0);
	finds(check_container, DOCTOR_OK, "none");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink("pid:[4026532000]", full), 0);
	finds(check_container, DOCTOR_NOTE, "the shims start no prefetcher");
	put("/etc/headstart/everywhere", "");
	finds(check_container, DOCTOR_OK, "none");
}

static void disks(void **state)
{
	set("HOME", "/home/a");
	finds(check_disks, DOCTOR_OK, "'nvme0n1', solid, read_ahead_kb 128");
	disk.read_ahead_kb = 8192;
	finds(check_disks, DOCTOR_NOTE, "echo 128 | sudo tee /sys/block/nvme0n1/queue/read_ahead_kb");
	disk.read_ahead_kb = 0;
	finds(check_disks, DOCTOR_NOTE, "read-ahead of 'nvme0n1' is off");
	finds(check_disks, DOCTOR_NOTE, "echo 128 | sudo tee /sys/block/nvme0n1/queue/read_ahead_kb");
	disk = a_device(DEVICE_ROTATIONAL, 128, "vda", false);
	disk.virtual_disk = true;
	finds(check_disks, DOCTOR_NOTE, "printf '[devices]\\n/dev/vda = solid\\n' | sudo tee -a");
	disk = a_device(DEVICE_ROTATIONAL, 128, "sda", false);
	finds(check_disks, DOCTOR_OK, "'sda', rotational");
	disk.virtual_disk = true;
	finds(check_disks, DOCTOR_NOTE, "virtual disk");
	finds(check_disks, DOCTOR_NOTE, "no program waits");
	device_set_model(&disk,
		&(struct device_model){.latency_us = 81,
			.bytes_per_ms = 3000000,
			.depth = 59,
			.samples = 1234,
			.measured = 1763820000});
	finds(check_disks, DOCTOR_OK, "'sda', measured to be solid");
	finds(check_disks, DOCTOR_OK,
		"0.08 ms a page, no seeks, 3000 MB/s, 59 reads at once; from 1234 reads of a recording on 2025-11-22");
	device_set_model(&disk,
		&(struct device_model){.latency_us = 168, .seek_us = 7600, .stroke_us = 16000, .depth = 1});
	finds(check_disks, DOCTOR_OK, "0.17 ms a page, 7.6 to 23.6 ms more for a seek, 1 read at once");
	disk = a_device(DEVICE_UNKNOWN, 0, "", false);
	finds(check_disks, DOCTOR_NOTE, "headstart plan --device rotational");
	disk.by_rule = true;
	disk.class = DEVICE_ROTATIONAL;
	finds(check_disks, DOCTOR_OK, "the file system, rotational by the settings");
	disk = a_device(DEVICE_SOLID, 128, "vda", true);
	finds(check_disks, DOCTOR_OK, "'vda', solid by the settings, read_ahead_kb 128");
	put("/sys/block/vda/queue/read_ahead_kb", "8192\n");
	disk.read_ahead_kb = 8192;
	finds(check_disks, DOCTOR_NOTE, "echo 128 | sudo tee /sys/block/vda/queue/read_ahead_kb");
	disk = a_device(DEVICE_SOLID, 0, "tmpfs", true);
	finds(check_disks, DOCTOR_OK, "'tmpfs', solid by the settings");
	disk = a_device(DEVICE_MEMORY, 0, "tmpfs", false);
	finds(check_disks, DOCTOR_OK, "in memory");
	disk = a_device(DEVICE_NETWORK, 128, "nfs", false);
	finds(check_disks, DOCTOR_OK, "network");
}

static void read_ahead_that_a_recording_has_switched_off(void **state)
{
	_cleanup_close_ int locked = -1;
	char full[PATH_MAX];

	disk.read_ahead_kb = 0;
	put("/sys/block/nvme0n1/dev", "259:0\n");
	put(READ_AHEAD_NOTE, "7:0 64\n259:0 8192\nbtrfs-1 128\n");
	finds(check_disks, DOCTOR_NOTE, "echo 8192 | sudo tee /sys/block/nvme0n1/queue/read_ahead_kb");
	assert_true(host_path(&host, READ_AHEAD_NOTE, full));
	locked = open(full, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(locked, LOCK_EX), 0);
	finds(check_disks, DOCTOR_OK, "off while a recording runs, which then sets it to 8192 again");
	/* A note that says nothing of this device, or nonsense. */
	put(READ_AHEAD_NOTE, "7:0 64\n");
	finds(check_disks, DOCTOR_NOTE, "no recording has noted");
	put(READ_AHEAD_NOTE, "259:0\n259:0 -1\n259:0 8192 9\n");
	finds(check_disks, DOCTOR_NOTE, "no recording has noted");
}

static void memory(void **state)
{
	finds(check_memory, DOCTOR_OK, "no pressure");
	put("/proc/pressure/memory", "some avg10=9.99 avg60=0.00\nfull avg10=50.00\n");
	finds(check_memory, DOCTOR_OK, "no pressure");
	put("/proc/pressure/memory", "some avg10=12.50 avg60=0.00\n");
	finds(check_memory, DOCTOR_PROBLEM, "12 %");
	put("/proc/pressure/memory", "");
	put("/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 100000 kB\n");
	finds(check_memory, DOCTOR_NOTE, "prefetches less");
	put("/proc/meminfo",
		"MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\nSwapTotal: 1000 kB\nSwapFree: 3 kB\n");
	finds(check_memory, DOCTOR_NOTE, "swap");
	put("/proc/meminfo", "MemTotal: 0 kB\nMemAvailable: 4000000 kB\n");
	finds(check_memory, DOCTOR_NOTE, "cannot be read");
	put("/proc/meminfo", "MemTotal: -5 kB\n");
	finds(check_memory, DOCTOR_NOTE, "cannot be read");
}

static void a_fifo_is_not_waited_for(void **state)
{
	char full[PATH_MAX];

	put("/proc/meminfo", "");
	assert_true(host_path(&host, "/proc/meminfo", full));
	assert_int_equal(unlink(full), 0);
	assert_int_equal(mkfifo(full, 0600), 0);
	finds(check_memory, DOCTOR_NOTE, "cannot be read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FAKE_HOST(parts),
		ON_FAKE_HOST(switches),
		ON_FAKE_HOST(glibc),
		ON_FAKE_HOST(kernel),
		ON_FAKE_HOST(recording),
		ON_FAKE_HOST(io_uring),
		ON_FAKE_HOST(seccomp),
		ON_FAKE_HOST(container),
		ON_FAKE_HOST(a_pid_namespace),
		ON_FAKE_HOST(disks),
		ON_FAKE_HOST(read_ahead_that_a_recording_has_switched_off),
		ON_FAKE_HOST(memory),
		ON_FAKE_HOST(a_fifo_is_not_waited_for),
	};

	umask(022); /* files that others may read have another finding */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
