/* SPDX-License-Identifier: MIT */
/* The lines of /proc/PID/mountinfo (proc(5)). */
#pragma once

#include <stdint.h>

#define MOUNTINFO_MAX (16u << 20) /* bytes: some 100,000 mounts */

/* A mount. The strings lie in the parsed text, unescaped except for the options. */
struct mountinfo {
	uint64_t id;                         /* as statx(2) numbers it */
	unsigned device_major, device_minor; /* of the superblock */
	char *root;                          /* the part of the file system that is mounted here: "/" */
	char *point;                         /* where, as seen from the root of the process */
	char *type;                          /* "ext4" */
	char *source;                        /* "/dev/sda1", "server:/path" */
	char *options;                       /* of the superblock: "rw,lowerdir=…" */
};

/*
 * Takes the next line off a text, which it cuts to pieces: *rest is the text at first, NULL at the end. Returns 1; 0 at
 * the end; or -EINVAL for a line that is no mount, after which the next can be taken. Skips empty lines.
 */
int mountinfo_next(char **rest, struct mountinfo *ret);

/* Undoes the escapes \040 and so on of a text (seq_escape() of the kernel), in place. */
void mountinfo_unescape(char *text);
