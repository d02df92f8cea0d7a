/* SPDX-License-Identifier: MIT */
/* Works page by page, since each can have a doubt of its own; ranges are joined again after that. */
#include "profile/refine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/landmarks.h"
#include "profile/profile-file.h"

#define NEW_ALWAYS 256 /* so many new pages do not make it another kind of start, however few are known */

/* Of the pages of the first recording one in so many may leave, and as many may join. */
#define SHARE_RECORDED 4
#define SHARE_LEARNT   2 /* it was learnt with read-ahead on, and is too large */

/* ---- pages of a file ---- */

/* The range has one page, whose doubt may be changed. Returns whether the page stays. */
typedef bool page_fn(void *context, struct profile_range *page);

static bool continues(const struct profile_range *last, const struct profile_range *page)
{
	return last->page + last->pages == page->page && last->order + last->pages == page->order &&
		last->runs == page->runs && profile_doubt_same(&last->doubt, &page->doubt);
}

static int add_page(struct profile_file *file, const struct profile_range *page)
{
	struct profile_range *last = file->n_ranges ? &file->ranges[file->n_ranges - 1] : NULL;

	if (!last || !continues(last, page))
		return profile_file_add_range(file, *page);
	last->pages++;
	return 0;
}

/* Calls change() for each page of the file. */
static int edit_pages(struct profile_file *file, page_fn *change, void *context)
{
	struct profile_file edited = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		for (uint32_t j = 0; r == 0 && j < range->pages; j++) {
			struct profile_range page = *range;

			page.page += j;
			page.order += j;
			page.pages = 1;
			if (change(context, &page))
				r = add_page(&edited, &page);
		}
	}
	if (r < 0) {
		free(edited.ranges);
		return r;
	}
	free(file->ranges);
	file->ranges = edited.ranges;
	file->n_ranges = edited.n_ranges;
	file->ranges_capacity = edited.ranges_capacity;
	return 0;
}

typedef bool doubt_fn(const struct profile_doubt *doubt);

static bool is_out(const struct profile_doubt *doubt)
{
	return doubt->out;
}

static bool is_unsure(const struct profile_doubt *doubt)
{
	return doubt->unsure;
}

static uint64_t count(const struct profile *profile, doubt_fn *counts)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		for (size_t j = 0; j < profile->files[i].n_ranges; j++)
			if (counts(&profile->files[i].ranges[j].doubt))
				pages += profile->files[i].ranges[j].pages;
	return pages;
}

uint64_t profile_count_out(const struct profile *profile)
{
	return count(profile, is_out);
}

uint64_t profile_count_unsure(const struct profile *profile)
{
	return count(profile, is_unsure);
}

static bool forget_counts(void *context, struct profile_range *page)
{
	page->doubt = (struct profile_doubt){.out = page->doubt.out};
	return true;
}

int profile_serialize_planned(const struct profile *profile, void **ret_data, size_t *ret_size)
{
	_cleanup_(profile_releasep) struct profile planned = {0};
	int r = profile_copy(profile, &planned);

	for (size_t i = 0; r == 0 && i < planned.n_files; i++)
		r = edit_pages(&planned.files[i], forget_counts, NULL);
	if (r < 0)
		return r;
	planned.first_touches = planned.first_pages = 0;
	planned.bias = 0;
	return profile_serialize(&planned, ret_data, ret_size);
}

void profile_clear_doubts(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];

		for (size_t j = 0; j < file->n_ranges; j++)
			file->ranges[j].doubt = (struct profile_doubt){0};
		profile_file_sort(file);
	}
}

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

/* The range that has the page; NULL if none has. Ranges ascend by page. */
static const struct profile_range *find_page(const struct profile_file *file, uint32_t page)
{
	size_t low = 0, high = file ? file->n_ranges : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_range *range = &file->ranges[middle];

		if (page < range->page)
			high = middle;
		else if (page - range->page >= range->pages)
			low = middle + 1;
		else
			return range;
	}
	return NULL;
}

/* ---- what a start says of the known pages ---- */

struct refining {
	const struct refine_start *start;
	const struct profile_file *seen; /* the present file; NULL: the start did not touch it */
	const uint8_t *absent;           /* the rest of start->absent */
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

/* A page that was left out, and not asked for by itself. Returns whether it stays. */
static bool judge_left_out(struct refining *refining, struct profile_range *page, bool absent)
{
	page->doubt.out = 0;
	if (absent)
		return miss(refining, &page->doubt);
	if (++page->doubt.tries >= REFINE_TRIES)
		confirm(refining, &page->doubt);
	return true;
}

static bool judge_page(void *context, struct profile_range *page)
{
	struct refining *refining = context;
	const struct profile_range *seen = find_page(refining->seen, page->page);
	bool absent = page->doubt.out && *refining->absent++;

	if (!refining->judged)
		return true;
	refining->known++;
	refining->touched += seen != NULL;
	if (seen && !seen->doubt.unsure) {
		confirm(refining, &page->doubt);
		return true;
	}
	if (page->doubt.out)
		return judge_left_out(refining, page, absent);
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

static int judge_file(struct refining *refining, struct profile_file *file)
{
	bool had_pages = file->n_ranges > 0;
	int r = edit_pages(file, judge_page, refining);

	/* One without pages is only looked at, and costs as good as nothing. */
	return r < 0 ? r : had_pages && file->n_ranges == 0;
}

/* Takes pages and files out of the copy `known`. */
static int judge_files(struct profile *known, struct refining *refining)
{
	size_t kept = 0, i;
	int r = 0;

	for (i = 0; r >= 0 && i < known->n_files; i++) {
		struct profile_file *file = &known->files[i];
		bool gone;

		r = profile_find_file(refining->start->seen, file->path, &refining->seen);
		if (r < 0)
			break;
		gone = is_replaced(file, refining->seen);
		if (gone) {
			refining->updated |= file->build_id_size > 0;
			forget_first(known, file);
			refining->seen = NULL;
		}
		refining->judged = !gone &&
			(refining->seen || refining->start->judged(refining->start->context, file->path));
		r = judge_file(refining, file);
		if (gone || r > 0)
			profile_file_release(file);
		else
			known->files[kept++] = *file;
	}
	for (; i < known->n_files; i++)
		known->files[kept++] = known->files[i];
	known->n_files = kept;
	return r < 0 ? r : 0;
}

/* ---- what is new ---- */

struct joining {
	const struct profile_file *known;
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
 * Leaves in the copy `seen` what is to join `known`. Of a file that is known only certain pages do: the others were in memory because
 * the kernel had read around a page that came late. Of a file that is new we know no better.
 */
static int keep_new(struct profile *seen, const struct profile *known, uint64_t *ret_pages)
{
	struct joining joining = {0};
	size_t kept = 0, i;
	int r = 0;

	for (i = 0; r == 0 && i < seen->n_files; i++) {
		struct profile_file *file = &seen->files[i];

		r = profile_find_file(known, file->path, &joining.known);
		if (r == 0)
			r = edit_pages(file, joins, &joining);
		if (r == 0 && joining.known && file->n_ranges == 0)
			profile_file_release(file);
		else
			seen->files[kept++] = *file;
	}
	for (; i < seen->n_files; i++)
		seen->files[kept++] = seen->files[i];
	seen->n_files = kept;
	*ret_pages = joining.pages;
	return r;
}

/* Starts of users lead here, and what they execute is nobody else's business. */
static void drop_execs(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_execs; i++)
		free(profile->execs[i].path);
	profile->n_execs = 0;
}

/* Adds it after what is known, whose description stays. */
static int add_new(struct profile *known, const struct profile *seen, uint64_t *ret_pages)
{
	_cleanup_(profile_releasep) struct profile new = {0};
	const uint32_t runs = known->runs, first_touches = known->first_touches,
		       first_pages = known->first_pages;
	int r = profile_copy(seen, &new);

	if (r == 0)
		r = keep_new(&new, known, ret_pages);
	if (r < 0 || new.n_files == 0)
		return r;
	drop_execs(&new);
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
	struct refining refining = {.start = start, .absent = start->absent};
	int r = profile_copy(into, &known);

	if (r < 0)
		return r;
	if (known.first_touches == 0)
		note_first(&known);
	r = blind_until(&known, start, &refining.blind);
	if (r == 0)
		r = judge_files(&known, &refining);
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
	refining.result.unsure = profile_count_unsure(&known);
	profile_release(into);
	*into = known;
	known = (struct profile){0};
	*ret = refining.result;
	return 0;
}

/* ---- what is left out next ---- */

struct choosing {
	const uint32_t *chosen; /* pages, ascending */
	size_t n, next;
};

/* splitmix64, by Sebastiano Vigna: prng.di.unimi.it */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* How far a page is from the nearest certain one of the file, and from the nearest that is not known; REFINE_AROUND at most. */
struct distances {
	uint32_t certain, unknown;
};

static void nearer(uint32_t *nearest, uint32_t far)
{
	if (far < *nearest)
		*nearest = far;
}

/* `i` is the range of the page. */
static struct distances distances_of(const struct profile_file *file, size_t i, uint32_t page)
{
	struct distances far = {REFINE_AROUND, REFINE_AROUND};
	uint32_t edge = file->ranges[i].page; /* all from there to the page is known */

	for (size_t j = i; j-- > 0 && page - edge < REFINE_AROUND; edge = file->ranges[j].page) {
		uint32_t end = file->ranges[j].page + file->ranges[j].pages;

		if (end < edge)
			break;
		if (!file->ranges[j].doubt.unsure)
			nearer(&far.certain, page - end + 1);
	}
	nearer(&far.unknown, page - edge + 1);
	edge = file->ranges[i].page + file->ranges[i].pages;
	for (size_t j = i + 1; j < file->n_ranges && edge - page < REFINE_AROUND; j++) {
		if (file->ranges[j].page > edge)
			break;
		if (!file->ranges[j].doubt.unsure)
			nearer(&far.certain, edge - page);
		edge += file->ranges[j].pages;
	}
	nearer(&far.unknown, edge - page);
	return far;
}

/* The higher, the less likely is the page needed. What a start needs lies together, and so does what it does not need. */
static uint32_t score_of(const struct profile_file *file, size_t i, uint32_t page, uint64_t *random)
{
	struct distances far = distances_of(file, i, page);

	return 4 * (REFINE_AROUND + far.certain - far.unknown) + (uint32_t)(next_random(random) % 4);
}

static bool mark(void *context, struct profile_range *page)
{
	struct choosing *choosing = context;

	page->doubt.out = choosing->next < choosing->n && choosing->chosen[choosing->next] == page->page;
	choosing->next += page->doubt.out;
	return true;
}

/* The best page of each `length` pages goes into `chosen`, unless it lies too near to the one before. Returns how many. */
static size_t choose_in(const struct profile_file *file, uint64_t length, uint64_t *random, uint32_t *chosen)
{
	uint64_t phase = next_random(random) % length, stretch = UINT64_MAX;
	uint32_t best = 0;
	size_t n = 0;

	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		for (uint32_t j = 0; range->doubt.unsure && j < range->pages; j++) {
			uint32_t page = range->page + j, score;

			if (n > 0 && (page + phase) / length != stretch && page - chosen[n - 1] < length)
				continue;
			score = score_of(file, i, page, random);
			if (n == 0 || (page + phase) / length != stretch) {
				stretch = (page + phase) / length;
				best = score;
				chosen[n++] = page;
			} else if (score > best) {
				best = score;
				chosen[n - 1] = page;
			}
		}
	}
	return n;
}

static int choose_of_file(struct profile_file *file, uint32_t around, uint64_t *random, size_t *n)
{
	size_t room = (size_t)profile_file_pages(file);
	_cleanup_free_ uint32_t *chosen = calloc(room + 1, sizeof(*chosen));
	struct choosing choosing = {.chosen = chosen};
	int r;

	if (!chosen)
		return -ENOMEM;
	choosing.n = around ? choose_in(file, (uint64_t)around + 1, random, chosen) : 0;
	r = edit_pages(file, mark, &choosing);
	if (r == 0)
		*n += choosing.n;
	return r;
}

ssize_t profile_choose_out(struct profile *profile, uint32_t around, uint64_t seed)
{
	_cleanup_(profile_releasep) struct profile chosen = {0};
	size_t n = 0;
	int r = profile_copy(profile, &chosen);

	for (size_t i = 0; r == 0 && i < chosen.n_files; i++)
		r = choose_of_file(&chosen.files[i], around, &seed, &n);
	if (r < 0)
		return r;
	profile_release(profile);
	*profile = chosen;
	chosen = (struct profile){0};
	return (ssize_t)n;
}
