/* SPDX-License-Identifier: MIT */
/*
 * Settings: /etc/headstart/headstart.conf, and a user's own $XDG_CONFIG_HOME/headstart/headstart.conf. The
 * format is headstart.conf(5).
 *
 * They can only hold headstart back, so what is wrong in a file fails nobody: it is told, and the rest
 * counts. Own parser: the well-kept ones for this kind of file (inih and its like) tell only the first line
 * that is wrong, or none, and would be one more library in front of a cold start.
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
	char *files[CONFIG_FILES_MAX]; /* owned: those that have been read */
	unsigned n_files;
	struct config_program *programs; /* owned */
	size_t n_programs, programs_capacity;
	uint64_t memory;  /* bytes to be read for one start at most; 0: no limit. The least of the files' */
	uint32_t time_ms; /* milliseconds a prefetcher may take; 0: as it likes. Likewise */
	struct device_rule *devices; /* owned, their paths too */
	size_t n_devices, devices_capacity;
};

/* Called for each thing that is wrong; line 0 is the whole file. `what` is a sentence without an end. */
typedef void config_problem(void *context, const char *file, unsigned line, const char *what);

/*
 * Adds the settings of one file. Returns how many problems it has; 0 for a file that does not exist, unless
 * must_exist.
 */
unsigned config_read_file(
	struct config *config, const char *path, bool must_exist, config_problem *tell, void *context);

/*
 * Reads the files that count for this user: $HEADSTART_CONFIG alone where that is an absolute path, else
 * root's, and then the user's own unless it is root. `tell` may be NULL. Returns how many problems there are.
 */
unsigned config_read(struct config *ret, config_problem *tell, void *context);

/* The same without the user's file, whose folder may be far from the start of a disk's head. */
unsigned config_read_system(struct config *ret, config_problem *tell, void *context);

/* The user's file, by the rule above; NULL if there can be none. The caller frees it. */
char *config_user_file(void);

/*
 * Whether headstart may do anything for the program at this canonical path: no `deny` matches, and in each
 * file that has an `allow` one of them does. *ret_why is the `deny` that matched; NULL if an `allow` was
 * missing.
 */
bool config_allows(const struct config *config, const char *program, const struct config_program **ret_why);

void config_release(struct config *config);

static inline void config_releasep(struct config *config)
{
	config_release(config);
}
