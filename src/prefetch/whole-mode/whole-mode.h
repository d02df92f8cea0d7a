/* SPDX-License-Identifier: MIT */
/* Whole mode: reads the objects of a starting program, as the program reports that they are mapped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/device.h"

struct whole_mode_result {
	uint32_t seen;   /* named objects that could be opened */
	uint32_t read;   /* objects of which something was read; the others were in memory */
	uint32_t relaid; /* of those read, the relaid ones: only their hot extent was read */
	uint64_t bytes;  /* asked for */
	bool fast;       /* nothing is gained on this disk: it is too fast */
	dev_t device;    /* st_dev of the first of the objects seen */
};

struct whole_mode_options {
	uint32_t time_budget_ms; /* 0: no limit */
	uint64_t memory_limit;   /* bytes: an upper limit, however much memory there is; 0: none */
	const struct device_rule *rules;
	size_t n_rules;
	void (*measured)(
		struct device *device); /* gives it the model that was measured, if there is one; or NULL */
};

typedef void whole_mode_told(int fd, uint64_t offset, uint64_t length);

/*
 * Follows the list (format/object-list.h; an open file that stays the caller's) until the program is gone, has mapped
 * nothing for a while, or the time is up. Then calls `told`, unless NULL, for each range of bytes that was asked for;
 * ranges may overlap. Returns 0, -EINVAL if it is not a list, or negative errno.
 */
int whole_mode_run(int list_fd, const struct whole_mode_options *options, whole_mode_told *told,
	struct whole_mode_result *ret);
