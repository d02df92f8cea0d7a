/* SPDX-License-Identifier: MIT */
/*
 * Examines what lies under the folders and the program's files: class, read-ahead, and whether the class can be
 * believed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "base/texts/read-ahead-note.h"
#include "doctor/checks.h"

/* kB. At 8192 we measured no gain: the kernel itself reads nearly everything ahead. */
#define READ_AHEAD_LARGE 4096u
#define DISKS_MAX        16u

struct disk {
	struct device device;
	char places[256]; /* "/, /usr" */
};

struct disks {
	struct disk disks[DISKS_MAX];
	size_t n;
};

/* A rule names the class of a folder's content, whether or not that is on a disk. */
static bool is_block(const struct doctor_host *host, const struct device *device)
{
	char path[PATH_MAX];

	if (device->by_rule) {
		snprintf(path, sizeof(path), "/sys/block/%s/queue", device->name);
		return host_exists(host, path);
	}
	return device->class != DEVICE_MEMORY && device->class != DEVICE_NETWORK;
}

enum recording {
	RECORDING_NONE,
	RECORDING_RUNS,
	RECORDING_LEFT, /* its recorder was killed together with its guard */
};

/* Whether a recording holds the note, and what it says of the device; the result is untouched if it says nothing. */
static enum recording read_note(
	const struct doctor_host *host, const struct device *device, unsigned *ret_kib)
{
	_cleanup_free_ char *number = NULL, *text = NULL;
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX], full[PATH_MAX], *rest;
	struct read_ahead noted;
	int r;

	snprintf(path, sizeof(path), "/sys/block/%s/dev", device->name);
	if (host_read(host, READ_AHEAD_NOTE, &text) < 0 || host_read(host, path, &number) < 0)
		return RECORDING_NONE;
	number[strcspn(number, "\n")] = '\0';
	rest = text;
	while ((r = read_ahead_note_next(&rest, &noted)))
		if (r > 0 && streq(noted.bdi, number))
			*ret_kib = noted.kib;
	fd = host_path(host, READ_AHEAD_NOTE, full) ? open_regular(full, 0) : -1;
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK ? RECORDING_RUNS
										   : RECORDING_LEFT;
}

static void say_read_ahead_off(
	const struct doctor_host *host, const struct device *device, struct doctor_report *report)
{
	unsigned kib = 0;
	enum recording recording = read_note(host, device, &kib);

	if (recording == RECORDING_RUNS && kib > 0) {
		doctor_say(report, DOCTOR_OK, "read-ahead",
			"read-ahead of '%s' is off while a recording runs, which then sets it to %u again",
			device->name, kib);
		return;
	}
	doctor_say(report, DOCTOR_NOTE, "read-ahead", "read-ahead of '%s' is off", device->name);
	if (kib > 0) {
		doctor_consequence(report,
			"what no plan names is read page by page; a 'headstart record' that was killed has "
			"left it so, and it was %u before",
			kib);
		doctor_mend(
			report, "echo %u | sudo tee /sys/block/%s/queue/read_ahead_kb", kib, device->name);
		return;
	}
	doctor_consequence(report,
		"what no plan names is read page by page; no recording has noted what it was before, and 128 "
		"is the kernel's default");
	doctor_mend(report, "echo 128 | sudo tee /sys/block/%s/queue/read_ahead_kb", device->name);
}

static void say_read_ahead(
	const struct doctor_host *host, const struct device *device, struct doctor_report *report)
{
	if (device->read_ahead_kb >= READ_AHEAD_LARGE) {
		doctor_say(report, DOCTOR_NOTE, "read-ahead", "read_ahead_kb of '%s' is %u", device->name,
			device->read_ahead_kb);
		doctor_consequence(report,
			"the kernel reads nearly whole files ahead by itself: prefetching gains little, and "
			"memory fills with what nobody touches; 128 is the kernel's default");
		if (is_block(host, device))
			doctor_mend(report, "echo 128 | sudo tee /sys/block/%s/queue/read_ahead_kb",
				device->name);
	} else if (device->read_ahead_kb == 0 && is_block(host, device) && device->class != DEVICE_UNKNOWN) {
		say_read_ahead_off(host, device, report);
	}
}

static void say_measured(const struct device *device, const char *places, struct doctor_report *report)
{
	char model[DEVICE_MODEL_TEXT], day[16] = "";
	time_t measured = (time_t)device->model.measured;
	struct tm tm;

	if (gmtime_r(&measured, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	device_model_text(&device->model, model);
	doctor_say(report, DOCTOR_OK, "disk", "%s: '%s', measured to be %s, read_ahead_kb %u", places,
		device->name, device_class_name(device->class), device->read_ahead_kb);
	doctor_consequence(
		report, "%s; from %u reads of a recording on %s", model, device->model.samples, day);
	doctor_model(report, &device->model);
}

/* Reports what is wrong with the disk under one or more places ("/, /usr"), if anything is. */
static void say_disk(const struct doctor_host *host, const struct device *device, const char *places,
	struct doctor_report *report)
{
	const char *class = device_class_name(device->class);
	const char *quote = *device->name ? "'" : "",
		   *name = *device->name ? device->name : "the file system";

	if (device->by_rule) {
		doctor_say(report, DOCTOR_OK, "disk", "%s: %s%s%s, %s by the settings, read_ahead_kb %u",
			places, quote, name, quote, class, device->read_ahead_kb);
	} else if (device->class == DEVICE_MEMORY) {
		doctor_say(report, DOCTOR_OK, "disk", "%s: in memory (%s), nothing to prefetch", places,
			device->name);
		return;
	} else if (device->class == DEVICE_UNKNOWN) {
		doctor_say(report, DOCTOR_NOTE, "disk", "%s: %s%s%s does not say whether it is rotational",
			places, quote, name, quote);
		doctor_consequence(
			report, "plans are made as for a disk without seeks; if it is rotational, run this");
		doctor_mend(report, "headstart plan --device rotational --program PROGRAM");
	} else if (device->measured) {
		say_measured(device, places, report);
	} else if (device_is_guessed(device)) {
		doctor_say(report, DOCTOR_NOTE, "disk",
			"%s: '%s' says it is %s, but it is a virtual disk, whose class is only the "
			"hypervisor's default",
			places, device->name, class);
		doctor_consequence(report,
			"plans are ordered for a %s disk, and no program waits for its own, until a "
			"'headstart record' measures the disk; if you know that it is of the other kind, run this",
			device->class == DEVICE_ROTATIONAL ? "rotating" : "solid-state");
		doctor_mend(report,
			"sudo mkdir -p /etc/headstart && printf '[devices]\\n/dev/%s = %s\\n' | "
			"sudo tee -a /etc/headstart/headstart.conf && sudo headstart config apply",
			device->name, device->class == DEVICE_ROTATIONAL ? "solid" : "rotational");
	} else {
		doctor_say(report, DOCTOR_OK, "disk", "%s: '%s', %s, read_ahead_kb %u", places, device->name,
			class, device->read_ahead_kb);
	}
	say_read_ahead(host, device, report);
}

/* Treats two places on one device as one disk. */
static void add_place(const struct doctor_host *host, struct disks *disks, const char *path, const char *name)
{
	struct device device;
	size_t i = 0, length;

	if (host->device(host, path, &device) < 0)
		return;
	while (i < disks->n &&
		(disks->disks[i].device.class != device.class ||
			disks->disks[i].device.by_rule != device.by_rule ||
			!streq(disks->disks[i].device.name, device.name)))
		i++;
	if (i == DISKS_MAX)
		return;
	if (i == disks->n) {
		disks->disks[disks->n++] = (struct disk){.device = device};
		snprintf(disks->disks[i].places, sizeof(disks->disks[i].places), "%s", name);
		return;
	}
	length = strlen(disks->disks[i].places);
	if (length + strlen(name) + 3 < sizeof(disks->disks[i].places) &&
		!strstr(disks->disks[i].places, name))
		snprintf(disks->disks[i].places + length, sizeof(disks->disks[i].places) - length, ", %s",
			name);
}

void check_disks(const struct doctor_host *host, struct doctor_report *report)
{
	const char *home = host->variable("HOME");
	struct disks disks = {0};

	add_place(host, &disks, "/", "/");
	add_place(host, &disks, "/usr", "/usr");
	add_place(host, &disks, HEADSTART_STATE_DIR, HEADSTART_STATE_DIR);
	add_place(host, &disks, "/home", "/home");
	if (home && home[0] == '/' && home[1])
		add_place(host, &disks, home, home);
	for (size_t i = 0; i < disks.n; i++)
		say_disk(host, &disks.disks[i].device, disks.disks[i].places, report);
}

/* Reports only disks that hold files of the program but not the system; the machine's own page has the others. */
void check_program_disks(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	struct disks disks = {0};
	struct device usr;
	bool known = host->device(host, "/usr", &usr) == 0;

	add_place(host, &disks, program->path, "the program");
	for (size_t i = 0; i < program->closure.n; i++)
		add_place(host, &disks, program->closure.paths[i], "libraries");
	for (size_t i = 0; i < disks.n; i++) {
		const struct device *device = &disks.disks[i].device;

		if (!known || device->class != usr.class || !streq(device->name, usr.name))
			say_disk(host, device, disks.disks[i].places, report);
	}
}
