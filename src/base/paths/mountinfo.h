/* SPDX-License-Identifier: MIT */
/* The lines of /proc/PID/mountinfo (proc(5)). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

/*
 * Whether a process of a user's serves the mount, who is not root: whoever asks it anything may wait for ever. *ret is the user. The kernel
 * says it of FUSE (fs/fuse/inode.c, fuse_show_options()), whose servers of root's are root's choice.
 */
bool mountinfo_serves_user(const struct mountinfo *mount, uid_t *ret);

/*
 * The same for the mount of that number in our own namespace. One that is not there, as it was unmounted meanwhile, is the user's
 * (uid_t)-1. Also says whether it is an automounter's.
 */
bool mountinfo_of_user(uint64_t id, uid_t *ret, bool *ret_automount);

/* Whether it is an automounter's (autofs): whoever looks below one has something mounted there. */
bool mountinfo_is_automount(const struct mountinfo *mount);

/*
 * The mount points of those mounts in a text as above that are wanted, also where something is mounted over one by now. *ret, the caller's to
 * free, has one behind the other, each with its NUL, and an empty one at the end. Returns 0 or -ENOMEM.
 */
int mountinfo_points_of(char *text, bool (*is_wanted)(const struct mountinfo *), char **ret);

/* The same in our own namespace. Returns 0 or negative errno. */
int mountinfo_points(bool (*is_wanted)(const struct mountinfo *), char **ret);

/* Whether the path is one of these mount points, or lies below one. */
bool mountinfo_is_below(const char *points, const char *path);

/* Whether the kernel itself reads the mount of that number from a disk of this machine, so that nobody else has to answer. */
bool mountinfo_on_disk(uint64_t id);
