/* SPDX-License-Identifier: MIT */
/* The timeline on disk: versioned, little-endian, checksummed. The layout is described in disk-layout.h. */
#pragma once

#include "timeline/timeline.h"

/* The first bytes of a timeline. A text tool that changes line ends damages them visibly. */
#define TIMELINE_MAGIC "HSTIME\r\n"

#define TIMELINE_MAX_SIZE (512u << 20) /* bytes of a file that is read or written */

/* Why a file is not a valid timeline; each is one sentence for the user. */
enum timeline_fault {
	TIMELINE_GOOD = 0,
	TIMELINE_FOREIGN,   /* not a timeline at all */
	TIMELINE_NEWER,     /* of a version that this program does not know */
	TIMELINE_OLDER,     /* of a version that this program does not know any more */
	TIMELINE_TRUNCATED, /* shorter than it says */
	TIMELINE_DAMAGED,   /* a checksum, index or order is wrong */
};

/* *ret_data, malloc()ed, is the caller's. Returns 0; -EINVAL for what timeline_check() refuses; or -EFBIG or -ENOMEM. */
int timeline_serialize(const struct timeline *timeline, void **ret_data, size_t *ret_size);

/* On TIMELINE_GOOD, *ret is the caller's to release; otherwise it is untouched. Trusts no byte of the data. */
enum timeline_fault timeline_parse(const void *data, size_t size, struct timeline *ret);

/*
 * Parses a file. Returns 0; -EBADMSG with *ret_fault if it is not a valid timeline; or negative errno if it cannot be
 * read: -EISDIR, -EINVAL (not a regular file), -EFBIG (TIMELINE_MAX_SIZE) and others.
 */
int timeline_load(const char *path, struct timeline *ret, enum timeline_fault *ret_fault);

/* Atomically replaces path, for its owner alone: there are arguments and names of files in it. Returns 0 or negative errno. */
int timeline_save(const struct timeline *timeline, const char *path);

/* The words after the file's name: "is not a headstart timeline", "is damaged …". */
const char *timeline_fault_text(enum timeline_fault fault);
