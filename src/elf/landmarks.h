/* SPDX-License-Identifier: MIT */
/*
 * Places in an ELF file by which the same code and data are found again in another build of it.
 *
 * A landmark is a place with a key that does not depend on where it lies: the name of a symbol, or how long a function and
 * those that follow it are. The lengths come from .eh_frame_hdr, which stripped files have as well. Only keys that occur
 * once in the file count. Parts are the sections, or the segments of a file without section headers.
 *
 * The file may be hostile. Nothing here lies beyond 4 GiB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/file.h"

#define LANDMARK_PARTS_MAX 256u /* of a file: the first ones */

struct elf_part {
	uint32_t name;   /* hash of the section's name, and of how many of that name come before it */
	uint32_t offset; /* bytes, in the file */
	uint32_t size;   /* bytes; > 0; offset + size does not overflow */
};

struct elf_landmark {
	uint32_t key;    /* odd: of a name; even: of lengths */
	uint32_t offset; /* bytes, in the file */
};

static inline bool elf_landmark_is_name(const struct elf_landmark *mark)
{
	return mark->key % 2;
}

struct elf_landmarks {
	struct elf_part *parts; /* owned; ascending by offset, never overlapping */
	size_t n_parts, parts_capacity;
	struct elf_landmark *marks; /* owned; ascending by offset, then by key; no two are the same */
	size_t n_marks, marks_capacity;
};

/*
 * `symbols` has a symbol table that was split from the file, and may be hostile, too; or is NULL. *ret is the caller's to
 * release. Returns 0, -ENOEXEC (no ELF file that can be used), -ENOMEM or negative errno.
 */
int elf_landmarks_read(int fd, struct elf_file *symbols, struct elf_landmarks *ret);

/*
 * Adds copies of what `from`, which should be of the same build, has more to *to, which is allocated if it is NULL. `from`
 * may be NULL. Returns 0 or -ENOMEM.
 */
int elf_landmarks_add(struct elf_landmarks **to, const struct elf_landmarks *from);

/* Whether all that is said above of parts and marks is true, but for the keys. */
bool elf_landmarks_good(const struct elf_landmarks *landmarks);

void elf_landmarks_release(struct elf_landmarks *landmarks);
void elf_landmarks_free(struct elf_landmarks *landmarks); /* and itself; may be NULL */

static inline void elf_landmarks_releasep(struct elf_landmarks *landmarks)
{
	elf_landmarks_release(landmarks);
}
