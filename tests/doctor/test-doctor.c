/* SPDX-License-Identifier: MIT */
/* Unit tests of the doctor: each check runs on a root of its own, with a /proc, /sys and /etc as they might be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
#include "base/strings.h"
#include "base/texts/read-ahead-note.h"
#include "doctor/checks.h"
#include "doctor/state.h"
#include "format/state-folder.h"
#include "handmade.h"
#include "replace/publish.h"
#include "tree.h"

/* The machine of the current test: healthy until a test changes it. */
static char root[] = "/tmp/headstart-doctor.XXXXXX";
static struct doctor_host host;
static struct doctor_report report;
static const char *variables[8][2];
static struct device disk;

static const char *fake_variable(const char *name)
{
	for (size_t i = 0; i < 8 && variables[i][0]; i++)
		if (streq(variables[i][0], name))
			return variables[i][1];
	return NULL;
}

static void set(const char *name, const char *value)
{
	size_t i = 0;

	while (variables[i][0])
		i++;
	variables[i][0] = name;
	variables[i][1] = value;
}

static int fake_device(const struct doctor_host *on, const char *path, struct device *ret)
{
	*ret = disk;
	return 0;
}

static void put_bytes(const char *path, const void *data, size_t size, mode_t mode)
{
	char full[PATH_MAX], folder[PATH_MAX];
	_cleanup_close_ int fd = -1;

	assert_true(host_path(&host, path, full));
	strcpy(folder, full);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(make_folders(folder, 0755), 0);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, data, size), 0);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text), 0644);
}

static struct device a_device(enum device_class class, uint32_t read_ahead_kb, const char *name, bool by_rule)
{
	struct device device = {
		.class = class, .read_ahead_kb = read_ahead_kb, .max_sectors_kb = 1280, .by_rule = by_rule};

	strcpy(device.name, name);
	return device;
}

static int begin(void **state)
{
	strcpy(root + sizeof(root) - 7, "XXXXXX");
	memset(variables, 0, sizeof(variables));
	disk = a_device(DEVICE_SOLID, 128, "nvme0n1", false);
	host = (struct doctor_host){
		.root = mkdtemp(root),
		.variable = fake_variable,
		.device = fake_device,
		.kernel = "6.18.1",
		.glibc = "2.36",
		.io_uring_built = true,
		.private = "/usr/lib/headstart",
		.user = geteuid(),
	};
	put("/proc/self/status", "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n");
	put("/proc/meminfo", "MemTotal:       8000000 kB\nMemFree: 1 kB\nMemAvailable:   4000000 kB\n");
	return host.root ? 0 : -1;
}

static int end(void **state)
{
	doctor_report_release(&report);
	return tree_remove(root);
}

/*
 * Runs one check anew. Its worst finding must be of this severity, and one finding of that severity must have these
 * words.
 */
static void finds(void (*check)(const struct doctor_host *, struct doctor_report *),
	enum doctor_severity severity, const char *words)
{
	bool said = false;

	doctor_report_release(&report);
	check(&host, &report);
	assert_false(report.out_of_memory);
	assert_true(report.n > 0);
	for (size_t i = 0; i < report.n; i++) {
		const struct doctor_finding *finding = &report.findings[i];

		assert_true(finding->severity <= severity);
		if (finding->severity == severity)
			said |= strstr(finding->what, words) ||
				(finding->consequence && strstr(finding->consequence, words)) ||
				(finding->mend && strstr(finding->mend, words));
	}
	if (!said)
		print_message("'%s' is not said, but '%s'\n", words, report.findings[0].what);
	assert_true(said);
}

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
	end(state);
	begin(state);
	set("HEADSTART", "off");
	finds(check_switches, DOCTOR_PROBLEM, "unset HEADSTART");
	variables[0][1] = "of";
	finds(check_switches, DOCTOR_NOTE, "'of' is not a value for HEADSTART");
	variables[0][1] = "plan";
	finds(check_switches, DOCTOR_OK, "HEADSTART=plan");
	variables[0][1] = "";
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
	end(state);
	begin(state);
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

static void put_library(const char *path, void (*change)(struct handmade *elf))
{
	struct handmade elf;

	handmade_init(&elf);
	if (change)
		change(&elf);
	put_bytes(path, &elf, sizeof(elf), 0755);
}

static void with_tls(struct handmade *elf)
{
	elf->stack = (Elf64_Phdr){PT_TLS, PF_R, 0x2e80, 0x3e80, 0x3e80, 0x10, 0x10000, 64};
	elf->entries[3] = (Elf64_Dyn){DT_FLAGS, {DF_STATIC_TLS}};
}

static void of_32_bits(struct handmade *elf)
{
	elf->header.e_ident[EI_CLASS] = ELFCLASS32;
}

static void needing_another(struct handmade *elf)
{
	elf->entries[3] = (Elf64_Dyn){DT_NEEDED, {1}};
}

static void preloads(void **state)
{
	finds(check_preloads, DOCTOR_OK, "0 preloaded libraries, 0 auditors");
	put_library("/lib/good.so", NULL);
	set("LD_AUDIT", "/lib/good.so");
	set("LD_PRELOAD", "/lib/good.so good.so");
	put("/etc/ld.so.preload", "# /lib/commented.so\n/$LIB/good.so # more\n\n");
	finds(check_preloads, DOCTOR_OK, "3 preloaded libraries, 1 auditor");
	put("/lib/ld-linux.so.2", "");
	put("/etc/ld.so.preload", "/lib/good.so\n");
	finds(check_preloads, DOCTOR_NOTE, "there is no 32-bit version");
	put_library("/lib64/libheadstart-preload.so", NULL);
	put("/lib32/libheadstart-preload.so", "");
	put("/etc/ld.so.preload", "/${LIB}/libheadstart-preload.so\n");
	finds(check_preloads, DOCTOR_OK, "3 preloaded libraries (headstart's among them), 1 auditor");
	put("/etc/ld.so.preload", "/lib/good.so\n/lib/none.so\n");
	finds(check_preloads, DOCTOR_PROBLEM, "'/lib/none.so', which does not exist");
	put("/etc/ld.so.preload", "/$LIB/none.so\n");
	finds(check_preloads, DOCTOR_PROBLEM, "'/$LIB/none.so', which does not exist");
	put("/lib/text.so", "INPUT(libgood.so)\n");
	put("/etc/ld.so.preload", "/lib/text.so\n");
	finds(check_preloads, DOCTOR_PROBLEM, "sudoedit /etc/ld.so.preload");
	put("/etc/ld.so.preload", HEADSTART_PRELOAD_NAME "\n");
	finds(check_preloads, DOCTOR_PROBLEM, "sudo headstart uninstall --system");
	put_library("/lib/old.so", of_32_bits);
	put("/etc/ld.so.preload", "/lib/old.so");
	finds(check_preloads, DOCTOR_PROBLEM, "is a 32-bit library");
	put_library("/lib/needing.so", needing_another);
	put("/etc/ld.so.preload", "/lib/needing.so");
	finds(check_preloads, DOCTOR_PROBLEM, "needs a library that is not found");
	put_library("/lib/libhand.so.1", NULL);
	finds(check_preloads, DOCTOR_NOTE, "there is no 32-bit version");
	put("/etc/ld.so.preload", "/lib");
	finds(check_preloads, DOCTOR_PROBLEM, "not a regular file");
	put("/etc/ld.so.preload", "");
	variables[0][1] = "/lib/gone.so:/lib/good.so";
	finds(check_preloads, DOCTOR_PROBLEM, "unset LD_AUDIT");
	variables[0][1] = "";
	put_library("/lib/libasan.so.8", NULL);
	variables[1][1] = "/lib/libasan.so.8";
	finds(check_preloads, DOCTOR_NOTE, "the first of all libraries");
	put_library("/lib/tls.so", with_tls);
	variables[1][1] = "/lib/tls.so";
	finds(check_preloads, DOCTOR_NOTE, "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=66111");
}

/* Truncated where only mapped bytes are missing: every program would die of SIGBUS. */
static void a_truncated_preload(void **state)
{
	struct handmade elf;

	handmade_init(&elf);
	elf.data.p_filesz = 0x1000;
	elf.data.p_memsz = 0x1000;
	put_bytes("/lib/cut.so", &elf, sizeof(elf), 0755);
	put("/etc/ld.so.preload", "/lib/cut.so");
	finds(check_preloads, DOCTOR_PROBLEM, "is truncated");
}

/* The loader ignores such a file silently. */
static void a_preload_file_that_cannot_be_read(void **state)
{
	char full[PATH_MAX];

	assert_true(host_path(&host, "/etc/ld.so.preload", full));
	put("/etc/passwd", "");
	assert_int_equal(mkdir(full, 0755), 0);
	finds(check_preloads, DOCTOR_NOTE, "'/etc/ld.so.preload' is a directory");
	finds(check_preloads, DOCTOR_NOTE, "sudo rmdir /etc/ld.so.preload");
	assert_int_equal(rmdir(full), 0);
	assert_int_equal(symlink("ld.so.preload", full), 0);
	finds(check_preloads, DOCTOR_NOTE, "'/etc/ld.so.preload' cannot be read: Too many levels");
	assert_int_equal(unlink(full), 0);
	finds(check_preloads, DOCTOR_OK, "0 preloaded libraries");
	put_library("/lib/good.so", NULL);
	put("/etc/ld.so.preload", "/lib/good.so\n");
	assert_int_equal(chmod(full, 0640), 0);
	finds(check_preloads, DOCTOR_NOTE, "not all users can read");
	finds(check_preloads, DOCTOR_NOTE, "sudo chmod a+r /etc/ld.so.preload");
	assert_int_equal(chmod(full, 0444), 0);
	finds(check_preloads, DOCTOR_OK, "1 preloaded library");
}

/* No more of it than its version can be read. */
static void put_older(const char *path)
{
	const struct plan_header header = {.magic = PLAN_MAGIC, .version = LE32(PLAN_VERSION - 1)};

	put_bytes(path, &header, sizeof(header), 0644);
}

static void state_folder_and_plans(void **state)
{
	char full[PATH_MAX];

	set("HEADSTART_STATE", "/state folder");
	finds(check_state, DOCTOR_NOTE, "does not exist");
	assert_string_equal(report.findings[0].mend, "headstart record -- PROGRAM");
	finds(check_plans, DOCTOR_OK, "none yet");
	put("/state folder/a-0.plan", "frob");
	finds(check_state, DOCTOR_OK, "exists");
	finds(check_plans, DOCTOR_PROBLEM, "rm '/state folder/a-0.plan'");
	assert_true(host_path(&host, "/state folder/a-0.plan", full));
	assert_int_equal(chmod(full, 0666), 0);
	finds(check_plans, DOCTOR_PROBLEM, "headstart ignores them");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink("/etc/passwd", full), 0);
	finds(check_plans, DOCTOR_PROBLEM, "headstart ignores them");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(mkfifo(full, 0600), 0);
	finds(check_plans, DOCTOR_PROBLEM, "headstart ignores them");
	assert_int_equal(unlink(full), 0);
	put_older("/state folder/b-0@1.plan");
	finds(check_plans, DOCTOR_PROBLEM, "rm '/state folder/b-0@1.plan'");
	put("/state folder/b-0.profile", "of which it was made");
	finds(check_plans, DOCTOR_PROBLEM, "1 made by an older headstart");
	finds(check_plans, DOCTOR_PROBLEM, "headstart config apply --older");
	assert_true(host_path(&host, "/state folder/b-0@1.plan", full));
	assert_int_equal(unlink(full), 0);
	put("/state folder/x.profile", "not a plan");
	finds(check_plans, DOCTOR_OK, "none yet");
	assert_true(host_path(&host, "/state folder", full));
	assert_int_equal(chmod(full, 0777), 0);
	finds(check_state, DOCTOR_PROBLEM, "chmod 755 '/state folder'");
	host.user = 1000;
	finds(check_state, DOCTOR_PROBLEM, "sudo chown 1000 '/state folder'");
	variables[0][1] = "relative";
	finds(check_state, DOCTOR_NOTE, "not an absolute path");
}

static void check_asked(const char *command)
{
	doctor_report_release(&report);
	assert_int_equal(doctor_check_program(&host, command, &report), 0);
}

static bool said(enum doctor_severity severity, const char *words)
{
	for (size_t i = 0; i < report.n; i++)
		if (report.findings[i].severity == severity &&
			(strstr(report.findings[i].what, words) ||
				(report.findings[i].mend && strstr(report.findings[i].mend, words))))
			return true;
	return false;
}

static bool is_home(const struct doctor_host *of, const char *path)
{
	return of == &host && strncmp(path, "/home/", 6) == 0;
}

static void plans_on_a_server(void **state)
{
	host.user = 1000;
	host.is_served = is_home;
	set("HOME", "/home/ann");
	finds(check_state, DOCTOR_NOTE, "a server has '/home/ann/.local/state/headstart'");
	set("HEADSTART_STATE", "/home/state");
	doctor_report_release(&report);
	check_state(&host, &report);
	assert_false(said(DOCTOR_NOTE, "a server has"));
}

static void dynamic_program(struct handmade *elf)
{
	elf->header.e_type = ET_EXEC;
	elf->stack.p_type = PT_INTERP;
	elf->stack.p_offset = offsetof(struct handmade, strings) + 0x40;
	elf->stack.p_filesz = 0x20;
	strcpy(elf->strings + 0x40, "/lib64/ld-linux-x86-64.so.2");
	elf->entries[3] = (Elf64_Dyn){DT_NEEDED, {1}};
}

static void musl_program(struct handmade *elf)
{
	dynamic_program(elf);
	strcpy(elf->strings + 0x40, "/lib/ld-musl-x86_64.so.1");
}

static void go_program(struct handmade *elf)
{
	static const char note[] = "\4\0\0\0\0\0\0\0\4\0\0\0Go\0";

	elf->header.e_type = ET_EXEC;
	elf->dynamic.p_type = PT_NULL;
	elf->stack = (Elf64_Phdr){PT_NOTE, PF_R, 0x600, 0x600, 0x600, sizeof(note), sizeof(note), 4};
	memcpy((char *)elf + 0x600, note, sizeof(note));
}

/* An ordinary user needs sudo to mend root's plans: a plan of the user's own would not be looked at. */
static void plans_of_roots(void **state)
{
	char full[PATH_MAX];

	host.user = 1000;
	set("HOME", "/home/ann");
	finds(check_state, DOCTOR_NOTE, "sudo headstart record -- PROGRAM");
	put(HEADSTART_STATE_DIR "/a-0.plan", "frob");
	assert_true(host_path(&host, HEADSTART_STATE_DIR, full));
	assert_int_equal(chmod(full, 0777), 0);
	finds(check_state, DOCTOR_PROBLEM, "sudo chown 0 " HEADSTART_STATE_DIR);
	assert_int_equal(chmod(full, 0755), 0);
	put(HEADSTART_STATE_DIR "/a-0.plan", "frob");
	finds(check_plans, DOCTOR_PROBLEM, "sudo rm " HEADSTART_STATE_DIR "/a-0.plan");
	host.user = 0;
	finds(check_plans, DOCTOR_PROBLEM, "rm " HEADSTART_STATE_DIR "/a-0.plan");
	assert_string_equal(state_sudo(&host, HEADSTART_STATE_DIR "/a-0.plan"), "");
	host.user = 1000;
	assert_string_equal(state_sudo(&host, "/home/ann/.local/state/headstart/a-0.plan"), "");
	assert_string_equal(state_sudo(&host, HEADSTART_STATE_DIR "x/a-0.plan"), "");
	set("HEADSTART_STATE", HEADSTART_STATE_DIR);
	assert_string_equal(state_sudo(&host, HEADSTART_STATE_DIR "/a-0.plan"), "");
}

static void programs(void **state)
{
	assert_int_equal(doctor_check_program(&host, "nothing", &report), -ENOENT);
	assert_int_equal(doctor_check_program(&host, "", &report), -ENOENT);
	set("PATH", "/none:/usr/bin");
	put_library("/usr/bin/dynamic", dynamic_program);
	check_asked("dynamic");
	assert_true(
		said(DOCTOR_OK, "'/usr/bin/dynamic' is a dynamic program: '/lib64/ld-linux-x86-64.so.2'"));
	assert_true(said(DOCTOR_NOTE, "'libhand.so.1' is not found"));
	assert_true(said(DOCTOR_NOTE, "sudo headstart record -- dynamic"));
	/* One that opens a window does not end by itself. */
	put("/usr/share/applications/terminal.desktop", "[Desktop Entry]\nExec=dynamic\nTerminal=true\n");
	put("/usr/share/applications/other.desktop", "[Desktop Entry]\nExec=/usr/bin/other\n");
	check_asked("dynamic");
	assert_true(said(DOCTOR_NOTE, "sudo headstart record -- dynamic"));
	put("/usr/share/applications/window.desktop", "[Desktop Entry]\nName=x\nExec=dynamic --new %U\n");
	check_asked("dynamic");
	assert_true(said(DOCTOR_NOTE, "sudo headstart record --until idle:3 --kill -- dynamic"));
	put_library("/lib/libhand.so.1", with_tls);
	check_asked("/usr/bin/dynamic");
	assert_true(said(DOCTOR_NOTE, "65599 of them '/lib/libhand.so.1'"));
	set("LD_AUDIT", "/x/libheadstart-audit.so");
	check_asked("dynamic");
	assert_true(said(DOCTOR_PROBLEM, "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=66112"));
	set("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=0x20000");
	check_asked("dynamic");
	assert_true(said(DOCTOR_OK, "makes room"));
	put_library("/usr/bin/musl", musl_program);
	check_asked("musl");
	assert_true(said(DOCTOR_NOTE, "musl"));
	put_library("/usr/bin/go-it's", go_program);
	check_asked("go-it's");
	assert_true(said(DOCTOR_NOTE, "a Go program"));
	assert_true(said(DOCTOR_NOTE, "headstart run -- 'go-it'\\''s'"));
	put_library("/usr/bin/old", of_32_bits);
	check_asked("old");
	assert_true(said(DOCTOR_NOTE, "32-bit"));
	put_bytes("/snap/bin/app", "#!/usr/bin/dynamic", 18, 0755);
	check_asked("/snap/bin/app");
	assert_true(said(DOCTOR_NOTE, "starts a Snap"));
	assert_true(said(DOCTOR_OK, "a script, run by '/usr/bin/dynamic'"));
	put_bytes("/usr/bin/loop", "#!/usr/bin/loop\n", 16, 0755);
	check_asked("loop");
	assert_true(said(DOCTOR_PROBLEM, "not an ELF file"));
}

static void scripts(void **state)
{
	set("PATH", "/usr/bin");
	put_library("/usr/bin/dynamic", dynamic_program);
	put_bytes("/usr/bin/orphan", "#! /usr/bin/gone -x\n", 20, 0755);
	check_asked("orphan");
	assert_true(said(DOCTOR_PROBLEM,
		"'/usr/bin/orphan' is a script whose interpreter '/usr/bin/gone' is missing"));
	assert_false(said(DOCTOR_PROBLEM, "ELF"));
	put("/usr/bin/gone", "");
	check_asked("orphan");
	assert_true(said(DOCTOR_PROBLEM, "whose interpreter '/usr/bin/gone' cannot be executed"));
	put_bytes("/usr/bin/outer", "#!/usr/bin/orphan\n", 18, 0755);
	check_asked("outer");
	assert_true(said(DOCTOR_PROBLEM, "'/usr/bin/outer' is a script whose interpreter '/usr/bin/gone'"));
	put_bytes("/usr/bin/text", "echo it runs\n", 13, 0755);
	check_asked("text");
	assert_true(said(DOCTOR_NOTE, "'/usr/bin/text' has no '#!'"));
	assert_int_equal(doctor_count(&report, DOCTOR_PROBLEM), 0);
	put_bytes("/usr/bin/empty", "", 0, 0755);
	check_asked("empty");
	assert_true(said(DOCTOR_NOTE, "has no '#!'"));
	put_bytes("/usr/bin/nearby", "#!bin/tool\n", 11, 0755);
	check_asked("nearby");
	assert_true(said(DOCTOR_NOTE,
		"'/usr/bin/nearby' is a script whose interpreter 'bin/tool' is looked for in the current folder"));
	assert_int_equal(doctor_count(&report, DOCTOR_PROBLEM), 0);
	put_bytes("/usr/bin/bytes", "\1\2\0\3\n", 5, 0755);
	check_asked("bytes");
	assert_true(said(DOCTOR_PROBLEM, "not an ELF file"));
	put_bytes("/usr/bin/cut", "\177ELF", 4, 0755);
	check_asked("cut");
	assert_true(said(DOCTOR_PROBLEM, "not an ELF file, or a damaged one"));
}

static char *deny(const char *program)
{
	return strdup("the settings deny it");
}

/* Whether the finding's command begins with these words. */
static bool mends_plan(const char *command)
{
	for (size_t i = 0; i < report.n; i++)
		if (streq(report.findings[i].subject, "plan"))
			return report.findings[i].mend && after_prefix(report.findings[i].mend, command);
	return false;
}

/* Root's plan takes precedence over a user's own, so a user cannot mend it without root. */
static void whose_plan(void **state)
{
	static const char program[] = "/usr/bin/dynamic", own[] = "/home/u/.local/state/headstart";
	const struct {
		const char *folder, *plan, *apply;
		bool root;
	} cases[] = {
		{HEADSTART_STATE_DIR, "headstart plan", "headstart config apply", true},
		{HEADSTART_STATE_DIR, "sudo headstart plan", "sudo headstart config apply", false},
		{own, "headstart plan", "headstart config apply", false},
	};
	unsigned user = geteuid() ? geteuid() : 1000; /* root's files are trusted, whoever asks */
	char name[PLAN_NAME_SIZE], path[PATH_MAX], full[PATH_MAX];

	set("HOME", "/home/u");
	put_library(program, dynamic_program);
	plan_name(program, STATE_PLAN_SUFFIX, name);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].root && geteuid() != 0)
			continue;
		host.user = cases[i].root ? 0 : user;
		snprintf(path, sizeof(path), "%s/%s", cases[i].folder, name);
		put(path, "damaged");
		host.denied = NULL;
		check_asked(program);
		assert_true(mends_plan(cases[i].plan));
		host.denied = deny;
		check_asked(program);
		assert_true(mends_plan(cases[i].apply));
		assert_true(host_path(&host, path, full));
		assert_int_equal(unlink(full), 0);
	}
}

/* Whatever lies there, there is an answer, and no crash. */
static void garbage_everywhere(void **state)
{
	static const char *const files[] = {"/proc/self/status", "/proc/self/mountinfo", "/proc/meminfo",
		"/etc/ld.so.preload", "/proc/pressure/memory", "/proc/sys/kernel/io_uring_disabled",
		"/etc/ld.so.cache", "/state/a-0.plan"};
	uint8_t garbage[3000];

	set("HEADSTART_STATE", "/state");
	put_library("/usr/bin/dynamic", dynamic_program);
	for (unsigned seed = 0; seed < 50; seed++) {
		srand(seed);
		for (size_t i = 0; i < sizeof(garbage); i++)
			garbage[i] = (uint8_t)(rand() >> 7);
		if (seed % 2)
			memcpy(garbage, "glibc-ld.so.cache1.1", 20);
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
			put_bytes(files[i], garbage, seed * 60, 0600);
		doctor_report_release(&report);
		doctor_check_machine(&host, &report);
		assert_true(report.n >= 13);
		check_asked("/usr/bin/dynamic");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parts),
		TEST(switches),
		TEST(glibc),
		TEST(kernel),
		TEST(recording),
		TEST(io_uring),
		TEST(seccomp),
		TEST(container),
		TEST(a_pid_namespace),
		TEST(disks),
		TEST(read_ahead_that_a_recording_has_switched_off),
		TEST(memory),
		TEST(a_fifo_is_not_waited_for),
		TEST(preloads),
		TEST(a_truncated_preload),
		TEST(a_preload_file_that_cannot_be_read),
		TEST(state_folder_and_plans),
		TEST(plans_on_a_server),
		TEST(plans_of_roots),
		TEST(programs),
		TEST(scripts),
		TEST(whose_plan),
		TEST(garbage_everywhere),
	};

	umask(022); /* files that others may read have another finding */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
