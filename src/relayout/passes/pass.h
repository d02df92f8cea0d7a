/* SPDX-License-Identifier: MIT */
/*
 * The passes of a relayout, in the order in which they run (src/relayout/relayout.c). Each has a file of its own; to
 * delete a pass, delete its file and its call there.
 */
#pragma once

#include "format/note.h"
#include "relayout/passes/image.h"

/* What a pass reports. */
struct pass_outcome {
	bool done;           /* it changed something */
	const char *refusal; /* static text, why it changed nothing ("the object has no version requirement
				…"), or NULL */
	uint64_t before;     /* what the pass reduces, in its own unit (see each pass), before and after */
	uint64_t after;
};

struct pass_options {
	size_t max_segments;    /* cap of PT_LOADs of the result; 0: COST_MAX_SEGMENTS */
	bool cut_functions;     /* an overlay may cut code within a function (passes/whole.h) */
	bool loader_knows_relr; /* the glibc that will load the file has GLIBC_ABI_DT_RELR */
	uint32_t passes;        /* enum note_pass bits: the passes to run */
};

/*
 * Packs R_*_RELATIVE relocations of DT_RELA into DT_RELR (generic ABI, "Relative Relocation Table"; glibc 2.36) and
 * writes their addends into the pages; adds GLIBC_ABI_DT_RELR to the version requirement on libc. DT_RELA then begins
 * after the packed relocations. before, after: bytes of relocation tables in use. Returns 0 (also for a refusal, which
 * leaves the image unchanged) or -ENOMEM.
 */
int pass_relr(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret);

/*
 * Copies the rest of DT_RELA into the tables, in its order, so that one read fetches it with the program headers.
 * before, after: pages of the file that relocation tables lie on. Returns 0 or -ENOMEM.
 */
int pass_relocs(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret);

/*
 * Chooses the runs of hot pages, for at most options->max_segments PT_LOADs in all (as far as changed pages allow).
 * Touched pages are hot, with two exceptions: pages in gaps that cost less to copy than another PT_LOAD
 * (src/relaid/cost.h) become hot too, and under the cap the least worthwhile runs become cold. before, after: runs of
 * hot pages. Returns 0 or -ENOMEM.
 */
int pass_hot(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret);
