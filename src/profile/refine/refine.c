/* SPDX-License-Identifier: MIT */
/* Judges each page of a recording by what a later start touched. */
#include "profile/refine/refine.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/edit.h"
#include "profile/recordings/merge.h"

#define NEW_ALWAYS 256 /* so many new pages do not make it another kind of start, however few are known */

/* Of the pages of the first recording one in so many may leave, and as many may join. */
#define SHARE_RECORDED 4
#define SHARE_LEARNT   2 /* it was learnt with read-ahead on, and is too large */

/* ---- how far it is from the first recording ---- */

static uint64_t pages_of(const struct profile *profile)
{
	return profile_bytes(profile) / profile->page_size;
}

static void note_first(struct profile *profile)
{
	profile->first_touches = profile->touches;
	profile->first_pages = (uint32_t)pages_of(profile);
}

/* Pages of the file that were there then: what has joined since came after all touches. */
static uint64_t count_first(const struct profile *profile, const struct profile_file *file)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];
		uint32_t before =
			range->order < profile->first_touches ? profile->first_touches - range->order : 0;

		pages += before < range->pages ? before : range->pages;
	}
	return pages;
}

/* The pages of a file that was updated since are not missed. */
static void forget_first(struct profile *profile, const struct profile_file *file)
{
	uint64_t pages = count_first(profile, file);

	profile->first_pages -= pages < profile->first_pages ? (uint32_t)pages : profile->first_pages;
}

/* However many starts have led there: each of them may have been a user's, who wants no good. */
static bool is_too_far(const struct profile *profile)
{
	uint64_t share =
		profile->first_pages / (profile->bias & PROFILE_BIAS_LEARNT ? SHARE_LEARNT : SHARE_RECORDED);
	uint64_t first = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		first += count_first(profile, &profile->files[i]);
	return first < profile->first_pages - share || pages_of(profile) - first > share + NEW_ALWAYS;
}

/* ---- files of two profiles ---- */

static bool is_same_build(const struct profile_file *a, const struct profile_file *b)
{
	return a->kind == b->kind && a->size == b->size && a->build_id_size == b->build_id_size &&
		memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
		(a->build_id_size > 0 || a->mtime == b->mtime);
}

/* The range that has the page; NULL if none has, or there is no file. */
static const struct profile_range *find_page(const struct profile_file *file, uint32_t page)
{
	size_t i = file ? profile_file_range_after(file, page) : 0;

	return file && i < file->n_ranges && file->ranges[i].page <= page ? &file->ranges[i] : NULL;
}

/* ---- what a start says of the known pages ---- */

struct refining {
	struct profile *profile; /* what is known, a copy */
	const struct refine_start *start;
	const struct profile_file *seen; /* the present file; NULL: the start did not touch it */
	uint32_t blind;                  /* touches before which some were not seen */
	bool judged;                     /* the present file */
	bool updated;                    /* another build of a file was installed */
	uint64_t known, touched;         /* judged pages, and how many of them the start may have touched */
	struct refine_result result;
};

/* A page that was not touched. Returns whether it stays. */
static bool miss(struct refining *refining, struct profile_doubt *doubt)
{
	doubt->missed++;
	if (doubt->missed < (doubt->unsure ? 1 : REFINE_MISSED))
		return true;
	refining->result.left++;
	return false;
}

static void confirm(struct refining *refining, struct profile_doubt *doubt)
{
	refining->result.confirmed += doubt->unsure;
	*doubt = (struct profile_doubt){0};
}

static bool judge_page(void *context, struct profile_range *page)
{
	struct refining *refining = context;
	const struct profile_range *seen = find_page(refining->seen, page->page);

	if (!refining->judged)
		return true;
	refining->known++;
	refining->touched += seen != NULL;
	if (seen && !seen->doubt.unsure) {
		confirm(refining, &page->doubt);
		return true;
	}
	if (seen)
		page->doubt.missed = 0;
	else if (page->order >= refining->blind)
		return miss(refining, &page->doubt);
	return true;
}

/* The last file of `known` that the start had touched when we began to look says how far it had come. */
static int blind_until(const struct profile *known, const struct refine_start *start, uint32_t *ret)
{
	for (size_t i = 0; i < known->n_files; i++) {
		const struct profile_file *file;
		int r = profile_find_file(start->seen, known->files[i].path, &file);

		if (r < 0)
			return r;
		if (file && file->order < start->found && known->files[i].order >= *ret)
			*ret = known->files[i].order + 1;
	}
	return 0;
}

/* Pages of another build say nothing of this one. Returns whether `file` has to go, because `seen` takes its place. */
static bool is_replaced(const struct profile_file *file, const struct profile_file *seen)
{
	return seen && !is_same_build(file, seen);
}

/* Takes pages out of a file. Returns 0 if all of it goes; otherwise as profile_file_fn. */
static int judge_file(void *context, struct profile_file *file)
{
	struct refining *refining = context;
	const struct refine_start *start = refining->start;
	bool had_pages = file->n_ranges > 0, gone;
	int r = profile_find_file(start->seen, file->path, &refining->seen);

	if (r < 0)
		return r;
	gone = is_replaced(file, refining->seen);
	if (gone) {
		refining->updated |= file->build_id_size > 0;
		forget_first(refining->profile, file);
		refining->seen = NULL;
	}
	refining->judged = !gone && (refining->seen || start->judged(start->context, file->path));
	r = profile_file_edit(file, judge_page, refining);
	if (r < 0)
		return r;
	/* One without pages is only looked at, and costs as good as nothing. */
	return !gone && (!had_pages || file->n_ranges > 0);
}

/* ---- what is new ---- */

struct joining {
	const struct profile *all;        /* what is known */
	const struct profile_file *known; /* the present file; NULL: it is new */
	uint64_t pages;
};

static bool joins(void *context, struct profile_range *page)
{
	struct joining *joining = context;

	if (joining->known && (page->doubt.unsure || find_page(joining->known, page->page)))
		return false;
	joining->pages++;
	return true;
}

/*
 * Leaves of a file what is to join. Of a file that is known only certain pages do: the others were in memory because the
 * kernel had read around a page that came late. Of a file that is new we know no better.
 */
static int keep_new(void *context, struct profile_file *file)
{
	struct joining *joining = context;
	int r = profile_find_file(joining->all, file->path, &joining->known);

	if (r == 0)
		r = profile_file_edit(file, joins, joining);
	return r < 0 ? r : !joining->known || file->n_ranges > 0;
}

/* Starts of users lead here, and what they execute is nobody else's business. */
static bool is_no_exec(const void *context, const struct profile_exec *exec)
{
	return false;
}

/* Adds it after what is known, whose description stays. */
static int add_new(struct profile *known, const struct profile *seen, uint64_t *ret_pages)
{
	_cleanup_(profile_releasep) struct profile new = {0};
	struct joining joining = {.all = known};
	const uint32_t runs = known->runs, first_touches = known->first_touches,
		       first_pages = known->first_pages;
	int r = profile_copy(seen, &new);

	if (r == 0)
		r = profile_keep_files(&new, keep_new, &joining);
	*ret_pages = joining.pages;
	if (r < 0 || new.n_files == 0)
		return r;
	profile_keep_execs(&new, is_no_exec, NULL);
	new.bias = 0;
	new.runs = 1;
	new.recorded = known->recorded - 1;
	r = profile_finish(&new);
	if (r == 0)
		r = profile_merge(known, &new);
	if (r < 0)
		return r;
	known->runs = runs; /* only the pages that join would count this start */
	known->first_touches = first_touches;
	known->first_pages = first_pages;
	return 0;
}

int profile_refine(struct profile *into, const struct refine_start *start, struct refine_result *ret)
{
	_cleanup_(profile_releasep) struct profile known = {0};
	struct refining refining = {.profile = &known, .start = start};
	int r = profile_copy(into, &known);

	if (r < 0)
		return r;
	if (known.first_touches == 0)
		note_first(&known);
	r = blind_until(&known, start, &refining.blind);
	if (r == 0)
		r = profile_keep_files(&known, judge_file, &refining);
	if (r == 0 && refining.touched < refining.known / 2)
		r = -ENODATA;
	if (r == 0)
		r = profile_finish(&known);
	if (r == 0)
		r = add_new(&known, start->seen, &refining.result.joined);
	if (r == 0 && refining.result.joined > refining.known / 2 + NEW_ALWAYS)
		r = -ENODATA;
	if (r == 0 && refining.updated)
		note_first(&known); /* only root can install a build: no user's doing */
	if (r == 0 && is_too_far(&known))
		r = -ENODATA;
	if (r < 0)
		return r;
	if (refining.result.joined || refining.result.left)
		known.bias |= PROFILE_BIAS_REFINED;
	profile_release(into);
	*into = known;
	known = (struct profile){0};
	*ret = refining.result;
	return 0;
}
