/* SPDX-License-Identifier: MIT */
/*
 * Carries the hot pages of an ELF file to another build of it, which nobody has recorded.
 *
 * When a library is updated its file is another, and its recorded pages say nothing of the new one. But most of the code is
 * the same and lies a little further on. So a recording keeps the landmarks around the hot pages (elf/landmarks.h), since
 * the old file is gone when they are needed.
 */
#pragma once

#include <limits.h>

#include "elf/landmarks.h"
#include "profile/functions.h"
#include "profile/profile.h"

/*
 * Keeps the landmarks of the file on disk, as far as its ranges need them, in file->landmarks. Other files than ELF files
 * get none. Returns 0 or negative errno.
 */
int profile_file_keep_landmarks(struct profile_file *file, uint32_t page_size);

/* Identifies every file of a profile (profile_file_identify()), and keeps its landmarks, as far as possible. */
void profile_identify(struct profile *profile);

/*
 * The landmarks of a file in which called functions are looked for: with the names in its debug file if it was stripped
 * (debug/symbols.h), which takes much longer than reading the file alone. *ret is the caller's to release. Returns as
 * elf_landmarks_read().
 */
int profile_read_places(int fd, struct elf_landmarks *ret);

/* Keeps the landmarks at the called functions of each object of which the file on disk is still the recorded build. */
void profile_keep_places(struct profile_functions *functions);

/*
 * Gives `to` the ranges that `file` is guessed to have in another build, which has these landmarks and this size in bytes.
 * Orders and runs stay.
 *
 * Where it is known which functions of a page were called (`called`; NULL: of none), these lead: it becomes all the pages on
 * which they lie now. Any other page becomes the one to which most of it has gone, or none; so without functions there are at
 * most as many pages as before. Returns 0, -ENODATA if nothing can be guessed, or -ENOMEM.
 */
int profile_file_carry(const struct profile_file *file, const struct profile_object *called,
	const struct elf_landmarks *landmarks, uint64_t size, uint32_t page_size, struct profile_file *to);

/*
 * The name of the file, in the same folder, that took the place of the library at `path`, which is gone. Returns 0 or
 * -ENOENT.
 */
int profile_file_successor(const char *path, char name[NAME_MAX + 1]);
