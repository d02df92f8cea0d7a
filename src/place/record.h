/* SPDX-License-Identifier: MIT */
/*
 * What was placed, so that it is not moved twice and can be taken back: text, in the state folder.
 *
 *     headstart placed 1
 *     program /usr/lib/libreoffice/program/soffice.bin
 *     file 131 40960 1763820000000000000 /usr/lib/libreoffice/program/libsal_textenc.so
 *     extent 0 40960 7516192768
 *     end
 *
 * A file has its inode, its size in bytes and its mtime in nanoseconds; an extent its offset in the file, its length and
 * its place on the disk, in bytes. The record is written when the places are allocated, before anything is moved there. So
 * whatever was moved is in it, and what really lies there shows when it is compared with the file's extents.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/string-index.h"
#include "device/device.h"

#define PLACE_RECORD "placed" /* its name in the state folder */
#define PLACE_LOCK                                                                                           \
	"placed.lock" /* who changes the record, or moves files, holds its lock (base/files/lock-file.h) */
#define PLACE_RECORD_MAX (16u << 20) /* bytes */
#define PLACE_FILES_MAX  65536u

struct placed_file {
	char *path; /* owned; absolute */
	uint64_t inode, size;
	int64_t mtime;
	struct device_extent *extents; /* owned */
	size_t n_extents, extents_capacity;
};

struct place_record {
	char **programs; /* owned: canonical paths of those whose starts were placed */
	size_t n_programs, programs_capacity;
	struct placed_file *files; /* owned */
	size_t n_files, files_capacity;
	struct string_index index; /* how a file is found by its path */
};

void place_record_release(struct place_record *record);

static inline void place_record_releasep(struct place_record *record)
{
	place_record_release(record);
}

/* Adds a program, if it is not there yet. Returns 0; -EINVAL for a path that no line can hold; or -ENOMEM. */
int place_record_add_program(struct place_record *record, const char *path);

/*
 * The file of that path and inode, which is added if it is missing. Returns as above, or -EFBIG if the record already has
 * PLACE_FILES_MAX files. *ret is valid until the next call.
 */
int place_record_add_file(
	struct place_record *record, const char *path, uint64_t inode, struct placed_file **ret);

/* Returns 0, -EINVAL if its end is beyond all offsets, or -ENOMEM. */
int placed_file_add(struct placed_file *file, uint64_t offset, uint64_t length, uint64_t physical);

/* *ret is the file with that path, or NULL. Returns 0 or -ENOMEM. */
int place_record_find(const struct place_record *record, const char *path, struct placed_file **ret);

/* Takes out the file at `index`. */
void place_record_remove(struct place_record *record, size_t index);

/* Reads it from a text with a NUL behind it. Returns 0, -EBADMSG, or -ENOMEM. *ret is the caller's to release. */
int place_record_parse(char *text, size_t size, struct place_record *ret);

/* Reads the file; a missing one is an empty record. Returns as above, or negative errno. */
int place_record_load(const char *path, struct place_record *ret);

/* Replaces the file; an empty record removes it. Only its user may read it. Returns 0 or negative errno. */
int place_record_save(const struct place_record *record, const char *path);
