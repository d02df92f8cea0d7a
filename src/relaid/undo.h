/* SPDX-License-Identifier: MIT */
/* The original of a relaid file: its first bytes, with another ELF header. */
#pragma once

#include <elf.h>
#include <stdint.h>

struct undo {
	uint64_t size;     /* bytes of the original */
	Elf64_Ehdr header; /* its ELF header; all else is as in the relaid file */
};

/*
 * Finds the original in a relaid file in memory, which may be hostile. Checks its checksum and that of what was
 * appended, so that a file that was changed since is not undone. Returns 0; -ENODATA: not a relaid file; -EBADMSG:
 * changed since; -EOPNOTSUPP: relaid in a way that leaves no original in it; each with *ret_problem, a static text that
 * follows the file's name; or -ENOMEM.
 */
int undo_prepare(const uint8_t *data, uint64_t size, struct undo *ret, const char **ret_problem);

/* The original's bytes, which the caller frees. Returns 0 or -ENOMEM. */
int undo_copy(const uint8_t *data, const struct undo *undo, uint8_t **ret);
