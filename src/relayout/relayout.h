/* SPDX-License-Identifier: MIT */
/* Lays out one ELF file anew by a profile: from its bytes to the bytes to append, or to a new file. */
#pragma once

#include "profile/profile.h"
#include "relayout/compact/compact.h"
#include "relayout/gain.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/whole.h"
#include "relayout/passes/write.h"

#define RELAYOUT_PASSES 3

struct relayout_options {
	const struct profile *profile; /* borrowed */
	uint64_t profile_checksum;     /* XXH3-64 of its file */
	struct pass_options pass_options;
	struct whole_options whole; /* which debug file is looked at */
	bool only_gains;            /* a file that gains nothing is left as it is */
	bool takes_losses; /* a file of which a start would read more than before is relaid all the same */
};

struct relayout_pass {
	const char *name;            /* as --json has it */
	struct pass_outcome outcome; /* all zero where it was not wanted */
};

struct relayout {
	struct elf_view current;  /* the file as it is */
	struct elf_view original; /* the same, unless it was relaid before */
	struct relayout_image image;
	bool compacted; /* by NOTE_PASS_COMPACT: the result is a whole file, nothing is appended */
	struct relayout_output output; /* otherwise */
	struct compacted compact;      /* if compacted */
	struct relayout_pass passes[RELAYOUT_PASSES];
	struct relayout_reads before, after;
};

/*
 * Lays out the file at `path` (absolute, as profiles have it), whose content is `data`, `size` bytes. The result
 * borrows `data`. If the file was relaid before, lays out its original: `data` then gets the original's ELF header.
 *
 * Returns 0; -EOPNOTSUPP: it cannot or should not be relaid; -ENODATA: there is nothing to do; -ESTALE: the profile
 * knows another file; each with *ret_reason, a static text that follows the file's name; or -ENOMEM. On success the
 * caller releases *ret, and must not move it before: its parts point to each other.
 */
int relayout_init(struct relayout *ret, uint8_t *data, uint64_t size, const char *path,
	const struct relayout_options *options, const char **ret_reason);
void relayout_release(struct relayout *relayout);

/* Bytes of the result, and of the hot part of it. */
uint64_t relayout_size(const struct relayout *relayout);
uint64_t relayout_hot_size(const struct relayout *relayout);

/*
 * Writes the result to a file that has the original's first relayout_keeps() bytes and no others. Returns 0
 * or negative errno.
 */
uint64_t relayout_keeps(const struct relayout *relayout);
int relayout_write(const struct relayout *relayout, int fd);

static inline void relayout_releasep(struct relayout *relayout)
{
	relayout_release(relayout);
}
