/* SPDX-License-Identifier: MIT */
/*
 * Documentation/accounting/psi.rst, admin-guide/iostats.rst (field 10: milliseconds with a request in flight),
 * ABI/testing/sysfs-class-power and sysfs-devices-power.
 */
#include "prefetch/limits/activity.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "prefetch/limits/cgroup.h"

unsigned pressure_of(const char *root, const char *resource)
{
	uint64_t percent;

	return kernel_number(root, "/proc/pressure", resource, "some avg10=", &percent) && percent <= 100
		? (unsigned)percent
		: 0;
}

/* Not what lies in memory or on another device that counts itself, nor an optical drive: nothing is read ahead from that. */
static bool is_disk(const char *name)
{
	static const char *const others[] = {"loop", "ram", "zram", "dm-", "md", "sr"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (after_prefix(name, others[i]))
			return false;
	return true;
}

/* Partitions count with their disks, and so twice: any use is use. */
uint64_t disks_busy_ms(const char *root)
{
	_cleanup_free_ char *text = kernel_text(root, "/proc", "diskstats");
	uint64_t sum = 0;

	for (const char *at = text; at && *at; at = strchr(at, '\n'), at += at != NULL) {
		char name[64];
		uint64_t busy;

		if (sscanf(at, "%*u %*u %63s %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, name, &busy) ==
				2 &&
			is_disk(name))
			sum += busy;
	}
	return sum;
}

/* Whether `what` is true of one of the folders in a folder. */
static bool any_in(const char *root, const char *folder,
	bool (*what)(const char *root, const char *path, void *context), void *context)
{
	char path[PATH_MAX];
	_cleanup_closedir_ DIR *entries = NULL;
	struct dirent *entry;
	bool found = false;

	if (snprintf(path, sizeof(path), "%s%s", root, folder) >= (int)sizeof(path))
		return false;
	entries = opendir(path);
	while (!found && entries && (entry = readdir(entries)))
		if (entry->d_name[0] != '.' &&
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < (int)sizeof(path))
			found = what(root, path, context);
	return found;
}

static bool text_is(const char *root, const char *folder, const char *name, const char *wanted)
{
	_cleanup_free_ char *text = kernel_text(root, folder, name);

	return text && after_prefix(text, wanted);
}

static bool is_asleep(const char *root, const char *disk, void *context)
{
	(void)context;
	return is_disk(strrchr(disk, '/') + 1) && text_is(root, disk, "queue/rotational", "1") &&
		text_is(root, disk, "device/power/runtime_status", "suspended");
}

bool rotational_disk_asleep(const char *root)
{
	return any_in(root, "/sys/block", is_asleep, NULL);
}

struct power {
	bool mains, on_line, discharging;
};

/* Batteries of mice and keyboards say that they are the device's. */
static bool look_at_supply(const char *root, const char *supply, void *context)
{
	struct power *power = context;

	if (text_is(root, supply, "scope", "Device"))
		return false;
	if (text_is(root, supply, "type", "Battery")) {
		power->discharging |= text_is(root, supply, "status", "Discharging");
	} else if (text_is(root, supply, "type", "Mains") || text_is(root, supply, "type", "USB")) {
		power->mains |= text_is(root, supply, "type", "Mains");
		power->on_line |= text_is(root, supply, "online", "1");
	}
	return false;
}

bool on_battery(const char *root)
{
	struct power power = {0};

	any_in(root, "/sys/class/power_supply", look_at_supply, &power);
	return !power.on_line && (power.mains || power.discharging);
}
