/* SPDX-License-Identifier: MIT */
/*
 * Chooses the pages that distinguish a warm start from a cold one.
 *
 * A start counts as warm if every probe is resident. So a probe must be resident after a start: most runs touched it.
 * It should not be resident for another reason, so it does not come from the C library, which every program uses. A few
 * big files are better than many small ones, since they stand for more of the data. The probe is the last touched page
 * of a file, because a mere look at a file's header brings in the first ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "plan/build/draft.h"

/* What a file is worth as a probe. */
struct candidate {
	uint32_t file;
	uint32_t penalty; /* 0 is best */
	uint32_t pages;   /* of the file, selected */
	uint32_t page;    /* the probe */
	uint32_t runs;    /* that touched it */
	uint32_t order;   /* of its touch */
};

/* Whether nearly every program has it in memory. */
static bool is_everybodys(const char *path)
{
	static const char *const names[] = {"ld-", "ld.so", "libc.so", "libc-", "libm.so", "libdl.so",
		"libpthread.so", "locale-archive", "C.utf8", NULL};
	const char *base = strrchr(path, '/') + 1;

	for (size_t i = 0; names[i]; i++)
		if (after_prefix(base, names[i]))
			return true;
	return false;
}

/*
 * The shim opens probes in other people's programs. Closing a file there drops the record locks that the program has on
 * it (fcntl_locking(2)), which would endanger a database. ELF files are safe, and so are files that programs only read:
 * those below /usr (Filesystem Hierarchy Standard 3.0, 4.1), or in a store of packages that nobody changes, and squashfs
 * images, beside which a start that mounts one may have nothing cold: its programs are those of every start. Of /usr,
 * distributions have the database of rpm in lib/sysimage, and local is the administrator's.
 */
static bool is_read_only(const char *path)
{
	if (after_prefix(path, "/usr/lib/sysimage/") || after_prefix(path, "/usr/local/"))
		return false;
	return after_prefix(path, "/usr/") || after_prefix(path, "/nix/store/") ||
		after_prefix(path, "/gnu/store/");
}

static bool may_have_locks(const struct draft_file *file)
{
	return !file->elf && !file->image && (file->database || !is_read_only(file->source->path));
}

static uint32_t penalty_of(const struct plan_draft *draft, const struct draft_file *file)
{
	uint32_t penalty = is_everybodys(file->source->path) ? 4 : 0;

	if (may_have_locks(file))
		penalty += 8;

	/* A guessed page may never be touched. Then the start would always seem cold. */
	if (file->guessed)
		penalty += 16;
	/* Root's plan serves everybody, so everybody must be able to open the file. */
	if (!file->public)
		penalty += 2;
	/* Network file systems do not answer without waiting. */
	if (draft->devices[file->device].device.class == DEVICE_NETWORK)
		penalty += 1;
	return penalty;
}

static void note_extent(struct candidate *candidate, const struct draft_extent *extent)
{
	uint32_t order = extent->order + extent->pages - 1;

	if (extent->runs < candidate->runs || (extent->runs == candidate->runs && order < candidate->order))
		return;
	candidate->runs = extent->runs;
	candidate->order = order;
	candidate->page = extent->page + extent->pages - 1;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if ((x->pages == 0) != (y->pages == 0))
		return x->pages == 0 ? 1 : -1;
	if (x->penalty != y->penalty)
		return x->penalty < y->penalty ? -1 : 1;
	if (x->pages != y->pages)
		return x->pages > y->pages ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

/* Takes the best candidates while header and paths fit in the plan's head, but none of a worse kind than the first. */
static void take_best(struct plan_draft *draft, const struct candidate *candidates)
{
	size_t room =
		PLAN_HEAD_MAX - sizeof(struct plan_header) - (draft->rule ? strlen(draft->rule) + 1 : 0);

	for (size_t i = 0; i < draft->n_files && draft->n_probes < DRAFT_PROBES; i++) {
		const struct candidate *candidate = &candidates[i];
		size_t size =
			sizeof(struct plan_probe) + strlen(draft->files[candidate->file].source->path) + 1;

		if (candidate->pages == 0 || candidate->penalty > candidates[0].penalty)
			return;
		if (size > room)
			continue;
		room -= size;
		draft->probes[draft->n_probes++] = (struct draft_probe){candidate->file, candidate->page};
	}
}

int draft_probe(struct plan_draft *draft)
{
	_cleanup_free_ struct candidate *candidates = NULL;

	if (draft->n_files == 0)
		return 0;
	candidates = calloc(draft->n_files, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	for (size_t i = 0; i < draft->n_files; i++) {
		candidates[i].file = (uint32_t)i;
		candidates[i].pages = draft->files[i].pages;
		candidates[i].penalty = penalty_of(draft, &draft->files[i]);
	}
	for (size_t i = 0; i < draft->n_extents; i++)
		note_extent(&candidates[draft->extents[i].file], &draft->extents[i]);
	qsort(candidates, draft->n_files, sizeof(*candidates), compare_candidates);
	take_best(draft, candidates);
	return 0;
}
