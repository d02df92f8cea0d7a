/* SPDX-License-Identifier: MIT */
/*
 * A true permutation, for images and packages: the pages of a file lie anew, what is hot first, without a
 * byte of it twice. What overlays keep true by not touching it, the section headers, is written anew here.
 *
 *   first page    the ELF header, the program headers directly after it, the note; with the pages that a
 *                 section which begins there reaches into
 *   tables        what passes made, and the tables of dynamic linking whose place the program headers took
 *   hot pages     in the order of their first touch
 *   cold pages    in the order of their addresses
 *   the rest      sections that are not in memory, as they were; section headers
 *
 * Virtual addresses stay. Sections of code and data are split where file offsets jump; a function or object
 * known by a symbol or an unwind table is never split, and sections that tools read whole are not either:
 * their pages are hot or cold together.
 *
 * p_paddr, which nobody in user space uses, is the file offset: BFD (strip, objcopy) lays segments out in the
 * order of their physical addresses, so that what it writes is laid out as what it read.
 */
#pragma once

#include "relayout/compact/compacted.h"
#include "relayout/passes/pass.h"

/* A compaction under way. */
struct compaction;

/*
 * Before the passes: makes room in the image, which has to outlive the compaction. Of the options
 * max_segments is heeded. Returns 0, -ENOMEM, or -EOPNOTSUPP for what cannot be compacted, with the reason (a
 * static string that follows the file's name) in *ret_problem.
 */
int compaction_begin(struct compaction **ret, struct relayout_image *image,
	const struct pass_options *options, const char **ret_problem);

/*
 * After the passes: lays all out. Once for each compaction; the image is changed by it. `profile` is the
 * checksum of the profile file. Returns as compaction_begin() does.
 */
int compaction_finish(
	struct compaction *compaction, uint64_t profile, struct compacted *ret, const char **ret_problem);
void compaction_free(struct compaction *compaction);

static inline void compaction_freep(struct compaction **compaction)
{
	compaction_free(*compaction);
}
