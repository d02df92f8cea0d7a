/* SPDX-License-Identifier: MIT */
/* Turns a profile and a device into a plan: decides which pages to read, over which gaps, in which order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "profile/profile.h"

struct plan_options {
	enum device_class device; /* DEVICE_UNKNOWN: look at the program's file */
	uint64_t budget;          /* bytes at most; 0: no limit. Keeps the pages that are touched first */
	const struct device_rule *rules; /* classes of some devices and folders, for DEVICE_UNKNOWN */
	size_t n_rules;
	uint32_t min_runs; /* leave out pages that fewer runs touched; 0 counts as 1 */
	bool shared;       /* for everybody: leave out files that others than root can change */
	const char *rule;  /* the program is a host, and this its rule (format/asked.h); NULL: it is not */
	uint64_t asked;    /* plan_build(): key of the starts that the plan is for; 0: of any start */
	const char *root;  /* NULL, or the folder of an image, below which the profile's paths lie */
	bool no_metadata;  /* leave out what file systems read to find the files */
	/*
	 * The profile is a snapshot of memory, not a start: names matter as much as pages, nobody waits for it, nothing tells
	 * whether it is warm, and files are not opened beyond what is needed to find their pages.
	 */
	bool snapshot;
};

/* What happened to the profile's files and pages. */
struct plan_summary {
	enum device_class device;
	size_t files, stale,
		gone;     /* files planned; left out because changed; because missing or not readable */
	uint64_t lost;    /* pages in the files that are left out because changed or missing */
	size_t guessed;   /* of those planned, those that were updated since: the pages are guessed */
	size_t in_memory; /* files left out because they lie in memory (tmpfs) */
	size_t uncached;  /* left out: their file system drops what is cached at every open (FUSE) */
	size_t others;    /* left out of a plan for everybody: others than root own or can replace them */
	bool limited;     /* pages are left out by the budget, or because too few runs touched them */
	size_t starts;    /* plans that are for certain starts alone, beside the one for any start */
	size_t extents;
	uint64_t bytes;     /* that will be read */
	uint64_t gap_bytes; /* of them, bytes that no start touched */
	uint64_t metadata;  /* bytes of file systems' metadata that will be read besides */
	uint32_t wait_ms;   /* how long the program waits for its plan at most; 0: not at all */
	/*
	 * How long a start waits for these bytes if it reads them by itself, one read after the other, and how long they
	 * take by the plan. Estimates by what the disk was measured to be; 0 if it was not.
	 */
	uint64_t alone_ms, planned_ms;
};

/*
 * Builds one plan. With options->rule and no options->asked it is the one that leads to others, which may have nothing to
 * read itself.
 *
 * *ret_data, malloc()ed, is a whole plan file; the caller frees it. Apart from its time it depends only on the profile,
 * the options and the files. Returns 0, -ENODATA if nothing is left to read (*ret_summary says why), -EFBIG if the plan
 * would be larger than PLAN_FILE_MAX, or negative errno.
 *
 * These files are left out, each on its own: a file that changed since the profile (profile_file_staleness(); a profile
 * of another kernel counts as one of another machine), unless its pages can be guessed (profile/updates/carry.h); a file whose device is DEVICE_MEMORY, unless the options name
 * the device; a file of which nothing stays cached (device_uncached()); and, in a plan for everybody, a file that somebody besides root can change (base/paths/stranger.h), which is
 * not even opened.
 */
int plan_build(const struct profile *profile, const struct plan_options *options, void **ret_data,
	size_t *ret_size, struct plan_summary *ret_summary);
