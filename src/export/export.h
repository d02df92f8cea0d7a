/* SPDX-License-Identifier: MIT */
/*
 * A profile as a list that another engine reads: image builders, lazily loaded images, squashfs, vmtouch. write.c has the
 * source of each format. All of them but `ranges` know whole files only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

enum export_format {
	EXPORT_ESTARGZ,
	EXPORT_NYDUS,
	EXPORT_SOCI,
	EXPORT_OVERLAYBD,
	EXPORT_CVMFS,
	EXPORT_MKSQUASHFS,
	EXPORT_VMTOUCH,
	EXPORT_RANGES,
	EXPORT_FORMATS,
};

/* "estargz", "nydus" … */
const char *export_format_name(enum export_format format);

enum export_loss {
	EXPORT_UNNAMED, /* the format has no way to write the path */
	EXPORT_BEYOND,  /* the engine reads no list that is so long */
};

struct export_left_out {
	const char *path; /* borrowed from the profile */
	enum export_loss why;
};

struct export_entry {
	char *path;                      /* owned: as the engine wants it, absolute */
	const struct profile_file *file; /* borrowed from the profile */
};

struct export_list {
	enum export_format format;
	uint32_t page_size;           /* bytes */
	struct export_entry *entries; /* owned; in the order of their first touch */
	size_t n_entries, entries_capacity;
	size_t outside;                   /* files left out because they lie outside of the root */
	struct export_left_out *left_out; /* owned: files that should be in the list and cannot */
	size_t n_left_out, left_out_capacity;
};

/*
 * Lists the regular files of which the start touched a page. `root` (absolute, without a slash at its end; or NULL) is where
 * the root of an image lies on this machine. If a path of the profile lies below it, the start was recorded from outside of the
 * image, and files elsewhere are left out; otherwise all paths are those of the image. Formats for images get the paths
 * that files have in the image, formats for this machine those that they have here.
 *
 * The profile must outlive the list. Returns 0 or -ENOMEM.
 */
int export_list_build(
	const struct profile *profile, enum export_format format, const char *root, struct export_list *ret);

void export_list_release(struct export_list *list);

static inline void export_list_releasep(struct export_list *list)
{
	export_list_release(list);
}

/* Touched bytes of the files in the list. */
uint64_t export_list_bytes(const struct export_list *list);

/* Writes the list. Check ferror() for write errors. Returns 0 or -ENOMEM. */
int export_write(FILE *out, const struct export_list *list);
