/* SPDX-License-Identifier: MIT */
/* device_of() with the kernel's tables as parameters. Internal to src/device and its tests. */
#pragma once

#include "device/device.h"

struct device_tables {
	const char *sysfs;     /* "/sys" */
	const char *mountinfo; /* "/proc/self/mountinfo" */
};

/* What is known of an open file before the tables are read. */
struct device_question {
	unsigned long magic;         /* file system type of statfs(2) */
	unsigned long long number;   /* st_dev */
	unsigned long long mount_id; /* 0 if the kernel does not say */
	const char *path;            /* as /proc/self/fd has it, for overlayfs; NULL if unknown */
};

/* Finds the device, or an unknown one. */
void device_answer(
	const struct device_tables *tables, const struct device_question *question, struct device *ret);
