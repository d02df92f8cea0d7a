/* SPDX-License-Identifier: MIT */
/* Profile and device to plan: which pages, merged over which gaps, in which order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "profile/profile.h"

struct plan_options {
	enum device_class device; /* DEVICE_UNKNOWN: find out from the program's file */
	uint64_t budget;          /* bytes at most, 0 for no limit: the first touched are kept */
	const struct device_rule
		*rules; /* where `device` is unknown: of some devices and folders it is not */
	size_t n_rules;
	uint32_t min_runs; /* leave out pages that fewer runs touched; 0 counts as 1 */
	bool shared;       /* for everybody: leave out what others than root can write or replace */
	const char *root;  /* NULL, or a folder under which the profile's paths lie (an image) */
};

/* What became of the profile on the way. */
struct plan_summary {
	enum device_class device;
	size_t files, stale,
		gone;     /* files planned; left out because changed; because missing or not readable */
	size_t in_memory; /* files left out because they lie in memory (tmpfs) */
	size_t others; /* left out of a plan for everybody: others than root own them or can replace them */
	size_t extents;
	uint64_t bytes;     /* to be read */
	uint64_t gap_bytes; /* of them touched by nobody */
};

/*
 * *ret_data, malloc()ed, is a whole plan file; the caller frees it. But for its time it depends only on the
 * profile, the options and the files. Returns 0, -ENODATA if nothing is left to read
 * (*ret_summary says where it all went), -EFBIG if the plan
 * would be larger than PLAN_FILE_MAX, or negative errno.
 *
 * A file that changed since the profile drops out alone (profile_file_staleness(); a profile of another
 * kernel counts as one of another machine). One whose device is DEVICE_MEMORY does too, unless options say
 * what the device is. So does, of a plan for everybody, one that base/stranger.h finds somebody besides root for: nothing of
 * it is opened.
 */
int plan_build(const struct profile *profile, const struct plan_options *options, void **ret_data,
	size_t *ret_size, struct plan_summary *ret_summary);
