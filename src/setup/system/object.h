/* SPDX-License-Identifier: MIT */
/* The kind of ELF file that a loader or a shared object is, of any class and byte order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct object_kind {
	uint8_t class;    /* ELFCLASS32 or ELFCLASS64 */
	uint8_t order;    /* ELFDATA2LSB or ELFDATA2MSB */
	uint16_t machine; /* EM_… */
};

/*
 * Reads the kind from a regular file. Returns 0; -ENOEXEC if it is not a shared object, or is truncated (*ret_problem
 * is a static string such as "is truncated"); or negative errno.
 */
int object_kind_of(const char *path, struct object_kind *ret, const char **ret_problem);

static inline bool object_kind_same(const struct object_kind *a, const struct object_kind *b)
{
	return a->class == b->class && a->order == b->order && a->machine == b->machine;
}
