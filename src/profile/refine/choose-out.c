/* SPDX-License-Identifier: MIT */
/* Chooses which unsure pages the plan leaves out next. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "profile/edit.h"
#include "profile/refine/refine.h"

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

/* How far a page is from the nearest certain page of its file, and from the nearest that the recording does not have; REFINE_AROUND at most. */
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
	r = profile_file_edit(file, mark, &choosing);
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
