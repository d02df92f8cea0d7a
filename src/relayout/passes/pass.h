/* SPDX-License-Identifier: MIT */
/*
 * The passes of a relayout, in the order they run (src/relayout/relayout.c). Each is a file of its own;
 * deleting one means deleting its file and its call there.
 */
#pragma once

#include "format/note.h"
#include "relayout/passes/image.h"

/* What a pass says of itself afterwards. */
struct pass_outcome {
	bool done;           /* it changed something */
	const char *refusal; /* static text, why it changed nothing ("the object has no version requirement
				…"), or NULL */
	uint64_t before;     /* what the pass is about, in its own unit (see each pass), before and after */
	uint64_t after;
};

struct pass_options {
	size_t max_segments;    /* cap of PT_LOADs of the result; 0: COST_MAX_SEGMENTS */
	bool loader_knows_relr; /* the glibc that will load the file has GLIBC_ABI_DT_RELR */
	uint32_t passes;        /* enum note_pass bits of those wanted */
};

/*
 * Packs R_*_RELATIVE relocations of DT_RELA into DT_RELR (generic ABI, "Relative Relocation Table";
 * glibc 2.36) and writes their addends into the pages; adds GLIBC_ABI_DT_RELR to the version requirement on
 * libc. DT_RELA then begins after the relocations that were packed. before, after: bytes of relocation tables
 * in use. Returns 0 (a refusal is one too, and leaves the image as it was) or -ENOMEM.
 */
int pass_relr(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret);

/*
 * Copies what is left of DT_RELA into the tables, in its order, so that it is read together with the program
 * headers. before, after: pages of the file that relocation tables lie on. Returns 0 or -ENOMEM.
 */
int pass_relocs(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret);

/*
 * Chooses the runs of hot pages, of at most options->max_segments PT_LOADs in all (as far as changed pages
 * allow): they are where the orders of the pages say, except that pages in gaps cheaper to copy than another
 * PT_LOAD is (src/relaid/cost.h) become hot too, and that under the cap the least worthwhile runs become
 * cold. before, after: runs of hot pages. Returns 0 or -ENOMEM.
 */
int pass_hot(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret);
