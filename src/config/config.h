/* SPDX-License-Identifier: MIT */
/*
 * Settings: /etc/headstart/headstart.conf, and a user's own $XDG_CONFIG_HOME/headstart/headstart.conf. The format is
 * headstart.conf(5).
 *
 * Settings can only hold headstart back, so a mistake in a file is reported and the rest of the file counts. The parser
 * is our own: the well-kept parsers for this kind of file (inih and the like) report only the first wrong line, or
 * none, and would load one more library before a cold start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

#define CONFIG_SYSTEM    "/etc/headstart/headstart.conf"
#define CONFIG_FILES_MAX 2

/* A line `allow = GLOB` or `deny = GLOB`. */
struct config_program {
	char *glob;    /* owned */
	unsigned file; /* index in config.files */
	unsigned line;
	bool allow;
};

struct config {
	char *files[CONFIG_FILES_MAX]; /* owned: the files that were read */
	unsigned n_files;
	struct config_program *programs; /* owned */
	size_t n_programs, programs_capacity;
	uint64_t memory;  /* bytes that one start may read; 0: no limit. The least of the files */
	uint32_t time_ms; /* milliseconds that a prefetcher may take; 0: no limit. The least of the files */
	bool never_warm;  /* programs that nobody has started: any file says so */
	bool never_learn; /* how programs start: likewise */
	struct device_rule *devices; /* owned, their paths too */
	size_t n_devices, devices_capacity;
};

/* Called for each mistake; line 0 is the whole file. `what` is a sentence without a full stop. */
typedef void config_problem(void *context, const char *file, unsigned line, const char *what);

/*
 * Adds the settings of one file. Returns the number of mistakes; 0 for a file that does not exist, unless must_exist.
 */
unsigned config_read_file(
	struct config *config, const char *path, bool must_exist, config_problem *tell, void *context);

/*
 * Reads the files that count for this user: only $HEADSTART_CONFIG if that is an absolute path; otherwise root's file,
 * and then the user's own unless the user is root. `tell` may be NULL. Returns the number of mistakes.
 */
unsigned config_read(struct config *ret, config_problem *tell, void *context);

/* The same without the user's file, because a disk's head may have to move far to read its folder. */
unsigned config_read_system(struct config *ret, config_problem *tell, void *context);

/*
 * Whether headstart may do anything for the program at this canonical path: no `deny` matches, and in each file that
 * has an `allow` one of them matches. *ret_why is the `deny` that matched; NULL if no `allow` did.
 */
bool config_allows(const struct config *config, const char *program, const struct config_program **ret_why);

void config_release(struct config *config);

static inline void config_releasep(struct config *config)
{
	config_release(config);
}
