/* SPDX-License-Identifier: MIT */
/* The profile on disk: versioned, little-endian, checksummed. The layout is described in disk-layout.h. */
#pragma once

#include "profile/recordings/recordings.h"

/* The first bytes of a profile. A text tool that changes line ends damages them visibly. */
#define PROFILE_MAGIC "HSPROF\r\n"

/* Why a file is not a valid profile; each is one sentence for the user. */
enum profile_fault {
	PROFILE_GOOD = 0,
	PROFILE_FOREIGN,   /* not a profile at all */
	PROFILE_NEWER,     /* a profile of a later version than PROFILE_VERSION */
	PROFILE_OLDER,     /* of an earlier one */
	PROFILE_TRUNCATED, /* shorter than it says */
	PROFILE_DAMAGED,   /* a checksum, index or order is wrong */
};

/* *ret_data, malloc()ed, is the caller's. Returns 0 or negative errno. */
int profile_serialize(const struct profile *profile, void **ret_data, size_t *ret_size);

/* All recordings of the file merged, if it has several: profile/recordings/recordings.h has them apart.
 * On PROFILE_GOOD, *ret is the caller's to release; otherwise it is untouched. Trusts no byte of the data. */
enum profile_fault profile_parse(const void *data, size_t size, struct profile *ret);

/*
 * Parses a file. Returns 0; -EBADMSG with *ret_fault if it is not a valid profile; or negative errno if it cannot be
 * read: -EISDIR, -EINVAL (not a regular file), -EFBIG (PROFILE_MAX_SIZE) and others.
 */
int profile_load(const char *path, struct profile *ret, enum profile_fault *ret_fault);

/* Atomically replaces the file at `path`, which then has this mode. Returns 0 or negative errno. */
int profile_save(const struct profile *profile, const char *path, mode_t mode);

/* The same of several recordings, each by itself. */
int recordings_serialize(const struct recordings *recordings, void **ret_data, size_t *ret_size);
enum profile_fault recordings_parse(const void *data, size_t size, struct recordings *ret);
int recordings_load(const char *path, struct recordings *ret, enum profile_fault *ret_fault);

int recordings_save(const struct recordings *recordings, const char *path, mode_t mode);

/* The words after the file's name: "is not a headstart profile", "is damaged …". */
const char *profile_fault_text(enum profile_fault fault);
