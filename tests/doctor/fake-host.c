/* SPDX-License-Identifier: MIT */
#include "fake-host.h"

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "replace/publish.h"
#include "tree.h"

static char root[] = "/tmp/headstart-doctor.XXXXXX";
struct doctor_host host;
struct doctor_report report;
struct device disk;
static const char *variables[8][2];

static const char *fake_variable(const char *name)
{
	for (size_t i = 0; i < 8 && variables[i][0]; i++)
		if (streq(variables[i][0], name))
			return variables[i][1];
	return NULL;
}

void set(const char *name, const char *value)
{
	size_t i = 0;

	while (variables[i][0] && !streq(variables[i][0], name))
		i++;
	variables[i][0] = name;
	variables[i][1] = value;
}

static int fake_device(const struct doctor_host *on, const char *path, struct device *ret)
{
	*ret = disk;
	return 0;
}

void put_bytes(const char *path, const void *data, size_t size, mode_t mode)
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

void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text), 0644);
}

struct device a_device(enum device_class class, uint32_t read_ahead_kb, const char *name, bool by_rule)
{
	struct device device = {
		.class = class, .read_ahead_kb = read_ahead_kb, .max_sectors_kb = 1280, .by_rule = by_rule};

	strcpy(device.name, name);
	return device;
}

int begin_on_fake_host(void **state)
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

int end_on_fake_host(void **state)
{
	doctor_report_release(&report);
	return tree_remove(root);
}

void finds(void (*check)(const struct doctor_host *, struct doctor_report *), enum doctor_severity severity,
	const char *words)
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

void check_asked(const char *command)
{
	doctor_report_release(&report);
	assert_int_equal(doctor_check_program(&host, command, &report), 0);
}

bool said(enum doctor_severity severity, const char *words)
{
	for (size_t i = 0; i < report.n; i++)
		if (report.findings[i].severity == severity &&
			(strstr(report.findings[i].what, words) ||
				(report.findings[i].mend && strstr(report.findings[i].mend, words))))
			return true;
	return false;
}

void put_library(const char *path, void (*change)(struct handmade *elf))
{
	struct handmade elf;

	handmade_init(&elf);
	if (change)
		change(&elf);
	put_bytes(path, &elf, sizeof(elf), 0755);
}
