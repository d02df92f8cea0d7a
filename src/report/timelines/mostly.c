/* SPDX-License-Identifier: MIT */
/*
 * What a start mostly did, in a line: the cause with the largest part, and what it was for. Reads are for one file, if half of
 * the waiting was for that; else for the files of one folder, the deepest with half of it: fonts, icons, modules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/timelines/report.h"
#include "report/timelines/words.h"

char *report_timeline_wait(const struct timeline *timeline, const struct sum_wait *wait)
{
	const struct timeline_thread *thread = &timeline->threads[wait->thread];
	char *text;

	if (asprintf(&text, "'%s' (%d) was %s%s%s%s", thread->name, thread->tid,
		    report_timeline_state(wait->state), wait->note != TIMELINE_NONE ? ": " : "",
		    wait->note != TIMELINE_NONE ? timeline->notes[wait->note] : "",
		    wait->timed_out ? ", and nobody answered until its time was up" : "") < 0)
		return NULL;
	return text;
}

/* A folder, as the first bytes of a path with the slash at its end. */
struct folder {
	const char *path; /* borrowed */
	size_t length;
	uint64_t waited;
	size_t files;
};

static const char *path_of(const struct timeline *timeline, const struct sum_file *file)
{
	bool regular = file->file < timeline->n_files &&
		timeline->files[file->file].kind == TIMELINE_REGULAR && file->waited > 0;

	return regular ? timeline->files[file->file].path : "";
}

/* What was waited for in the folder that the path of this file has next after `length` bytes. */
static struct folder sum_folder(
	const struct timeline *timeline, const struct sums *sums, const char *path, size_t length)
{
	const char *slash = strchr(path + length, '/');
	struct folder folder = {.path = path, .length = slash ? (size_t)(slash - path) + 1 : 0};

	for (size_t i = 0; slash && i < sums->n_files; i++)
		if (strncmp(path_of(timeline, &sums->files[i]), path, folder.length) == 0) {
			folder.waited += sums->files[i].waited;
			folder.files++;
		}
	return folder;
}

/* The deepest folder with half of the waiting. Its length is 1 if that is only the root. */
static struct folder find_folder(const struct timeline *timeline, const struct sums *sums)
{
	uint64_t half = sums->causes.states[TIMELINE_READ] / 2;
	struct folder best = {.path = "/", .length = 1};

	for (size_t i = 0; i < sums->n_files && i < 100; i++) { /* those that were waited for most */
		const char *path = path_of(timeline, &sums->files[i]);
		struct folder below;

		if (strncmp(path, best.path, best.length) != 0)
			continue;
		below = sum_folder(timeline, sums, path, best.length);
		if (below.length == 0 || below.waited < half)
			continue;
		best = below;
		i = (size_t)-1; /* what is below that one, from the first file on */
	}
	return best;
}

static char *describe_reads(const struct timeline *timeline, const struct sums *sums)
{
	uint64_t all = sums->causes.states[TIMELINE_READ];
	struct folder folder = find_folder(timeline, sums);
	_cleanup_free_ char *file = NULL;
	char part[WORDS_MAX], files[WORDS_MAX];
	char *text;

	if (sums->files[0].waited < all / 2 && folder.length > 1 && folder.files > 1) {
		if (asprintf(&text, "%s s of it for %s files in %.*s",
			    report_timeline_time(folder.waited, part), words_count(folder.files, files),
			    (int)folder.length - 1, folder.path) < 0)
			return NULL;
		return text;
	}
	file = report_timeline_file(timeline, sums->files[0].file);
	if (!file ||
		asprintf(&text, "%s s of it for %s", report_timeline_time(sums->files[0].waited, part),
			file) < 0)
		return NULL;
	return text;
}

static int describe(
	const struct timeline *timeline, const struct sums *sums, enum timeline_state state, char **ret)
{
	size_t wait = 0;

	/* What else a unit waits for is not known. */
	if (timeline_is_boot(timeline) && state != TIMELINE_READ)
		return 0;
	if (state < TIMELINE_READ || (state == TIMELINE_READ && sums->n_files == 0))
		return 0;
	while (wait < sums->n_waits && sums->waits[wait].state != state)
		wait++;
	if (state > TIMELINE_READ && wait == sums->n_waits)
		return 0;
	*ret = state == TIMELINE_READ ? describe_reads(timeline, sums)
				      : report_timeline_wait(timeline, &sums->waits[wait]);
	return *ret ? 0 : -ENOMEM;
}

char *report_timeline_mostly(const struct timeline *timeline, const struct sums *sums)
{
	const uint64_t *states = sums->causes.states;
	_cleanup_free_ char *detail = NULL;
	enum timeline_state most = TIMELINE_RUNNING;
	const char *words;
	uint64_t took;
	char time[WORDS_MAX], all[WORDS_MAX], *text;

	for (enum timeline_state state = 0; state < TIMELINE_STATES; state++)
		if (states[state] > states[most])
			most = state;
	if (sums->causes.nobody > states[most]) {
		words = REPORT_NOBODY;
		took = sums->causes.nobody;
	} else {
		words = report_timeline_state(most);
		took = states[most];
		if (describe(timeline, sums, most, &detail) < 0)
			return NULL;
	}
	if (asprintf(&text, "%s: %s of %s s%s%s", words, report_timeline_time(took, time),
		    report_timeline_time(timeline->duration, all), detail ? "; " : "",
		    detail ? detail : "") < 0)
		return NULL;
	return text;
}
