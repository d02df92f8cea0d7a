/* SPDX-License-Identifier: MIT */
/* Lays one ELF file out anew by a profile: from its bytes to what is appended to them, or to other ones. */
#pragma once

#include "relayout/compact/compact.h"
#include "relayout/passes/write.h"
#include "relayout/passes/pass.h"
#include "profile/profile.h"

#define RELAY_PASSES 3

struct relay_options {
	const struct profile *profile; /* borrowed */
	uint64_t profile_checksum;     /* XXH3-64 of its file */
	struct layout_options layout;
	bool only_gains; /* a file that gains nothing is left as it is */
};

/* What a cold start reads of a file. */
struct relay_reads {
	uint64_t pages; /* of the profile's size */
	uint64_t reads; /* of 128 KiB, as read-ahead has it, that bring them */
	uint64_t bytes;
	size_t segments; /* PT_LOADs */
};

struct relay_pass {
	const char *name; /* as --no-NAME has it */
	enum note_pass bit;
	struct layout_outcome outcome; /* all zero where it was not wanted */
};

struct relay {
	struct elf_view current;  /* the file as it is */
	struct elf_view original; /* the same, unless it was relaid before */
	struct layout_image image;
	bool compacted;                /* by NOTE_PASS_COMPACT: a whole file, nothing is appended */
	struct layout_output output;   /* otherwise */
	struct layout_compact compact; /* of one that is compacted */
	struct relay_pass passes[RELAY_PASSES];
	struct relay_reads before, after;
};

/*
 * Lays out the file at `path` (absolute, as profiles have it), of which `data`, `size` bytes, is the content.
 * A result borrows it. Where the file was relaid before, it is its original that is laid out: data then gets
 * the original's ELF header.
 *
 * Returns 0; -EOPNOTSUPP: it cannot or should not be relaid; -ENODATA: there is nothing to do; -ESTALE: what
 * the profile knows is another file; each with *ret_reason, a static text that follows the file's name; or
 * -ENOMEM. On success *ret is the caller's to release, and must not be moved until then: its parts point to
 * each other.
 */
int relay_init(struct relay *ret, uint8_t *data, uint64_t size, const char *path,
	const struct relay_options *options, const char **ret_reason);
void relay_release(struct relay *relay);

/* Bytes of the result, and of what is hot in it. */
uint64_t relay_size(const struct relay *relay);
uint64_t relay_hot_size(const struct relay *relay);

/*
 * Writes the result to a file that has the original's first relay_keeps() bytes and no others. Returns 0 or
 * negative errno.
 */
uint64_t relay_keeps(const struct relay *relay);
int relay_write(const struct relay *relay, int fd);

static inline void relay_releasep(struct relay *relay)
{
	relay_release(relay);
}
