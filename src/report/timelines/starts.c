/* SPDX-License-Identifier: MIT */
#include "report/timelines/starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "report/timelines/report.h"
#include "report/timelines/words.h"
#include "report/words.h"

#define SHARE_MIN                                                                                            \
	50 /* a cause that changed by less than one part in so many of the longer start is left out */

int report_starts_init(struct report_starts *ret, const struct timeline *timelines, size_t n)
{
	int r = 0;

	ret->timelines = timelines;
	for (; r == 0 && ret->n < n; ret->n += r == 0)
		r = sums_make(&timelines[ret->n], &ret->sums[ret->n]);
	return r;
}

void report_starts_release(struct report_starts *starts)
{
	for (size_t i = 0; i < starts->n; i++)
		sums_release(&starts->sums[i]);
	*starts = (struct report_starts){0};
}

/* What a cause, or a file, took in both starts. */
struct change {
	const char *what; /* borrowed */
	uint64_t before, after;
};

static uint64_t size_of(const struct change *change)
{
	return change->before > change->after ? change->before - change->after
					      : change->after - change->before;
}

static int compare_changes(const void *a, const void *b)
{
	uint64_t x = size_of(a), y = size_of(b);

	return (x < y) - (x > y);
}

static uint64_t duration(const struct report_starts *starts, size_t i)
{
	return starts->timelines[i].duration;
}

/* Whether one start took at least a hundredth longer than the other. */
static bool is_different(const struct report_starts *starts)
{
	const struct change total = {"", duration(starts, 0), duration(starts, 1)};

	return size_of(&total) > total.before / 100;
}

static void print_total(FILE *out, const struct report_starts *starts)
{
	uint64_t before = duration(starts, 0), after = duration(starts, 1);
	double factor = after > 0 ? (double)before / (double)after : 0;
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

	fprintf(out, "The second %s took %s s instead of %s s", report_timeline_word(&starts->timelines[1]),
		report_timeline_time(after, a), report_timeline_time(before, b));
	if (!is_different(starts))
		fprintf(out, ", which is no difference to speak of");
	else if (after < before)
		fprintf(out, ", %s s less", report_timeline_time(before - after, c));
	else
		fprintf(out, ", %s s more", report_timeline_time(after - before, c));
	if (is_different(starts) && factor >= 1.05)
		fprintf(out, " (%.1f times faster)", factor);
}

/* ": 7.2 s less waiting for reads, 0.3 s more computing", or nothing. */
static void print_causes(FILE *out, const struct report_starts *starts)
{
	uint64_t longer =
		duration(starts, 0) > duration(starts, 1) ? duration(starts, 0) : duration(starts, 1);
	struct change causes[TIMELINE_STATES + 1];
	const size_t n = sizeof(causes) / sizeof(*causes);
	char time[WORDS_MAX];

	for (enum timeline_state state = 0; state < TIMELINE_STATES; state++)
		causes[state] = (struct change){report_timeline_state(state),
			starts->sums[0].causes.states[state], starts->sums[1].causes.states[state]};
	causes[TIMELINE_STATES] = (struct change){
		REPORT_WITHOUT_ANYBODY, starts->sums[0].causes.nobody, starts->sums[1].causes.nobody};
	qsort(causes, n, sizeof(*causes), compare_changes);
	for (size_t i = 0; i < n && size_of(&causes[i]) * SHARE_MIN > longer; i++)
		fprintf(out, "%s %s s %s %s", i ? "," : ":", report_timeline_time(size_of(&causes[i]), time),
			causes[i].after < causes[i].before ? "less" : "more", causes[i].what);
}

/* The time that the start waited for a file with this path; 0 if it read none. */
static uint64_t waited_for(const struct report_starts *starts, size_t start, const char *path)
{
	const struct timeline *timeline = &starts->timelines[start];
	const struct sums *sums = &starts->sums[start];
	uint64_t waited = 0;

	for (size_t i = 0; i < sums->n_files; i++)
		if (sums->files[i].file != TIMELINE_NONE &&
			streq(timeline->files[sums->files[i].file].path, path))
			waited += sums->files[i].waited;
	return waited;
}

/* Of the files that the longer start waited for longest, the one where the other start waited so much less. */
static int print_file(FILE *out, const struct report_starts *starts)
{
	size_t longer = duration(starts, 1) > duration(starts, 0);
	const struct sums *sums = &starts->sums[longer];
	const struct timeline *timeline = &starts->timelines[longer];
	uint64_t most = 0;
	uint32_t most_file = TIMELINE_NONE;
	char time[WORDS_MAX];

	for (size_t i = 0; is_different(starts) && i < sums->n_files && i < 100; i++) {
		const struct sum_file *file = &sums->files[i];
		uint64_t other;

		if (file->file == TIMELINE_NONE)
			continue;
		other = waited_for(starts, !longer, timeline->files[file->file].path);
		if (file->waited > other && file->waited - other > most) {
			most = file->waited - other;
			most_file = file->file;
		}
	}
	if (most * SHARE_MIN > duration(starts, longer)) {
		_cleanup_free_ char *name = report_timeline_file(timeline, most_file);
		bool is_part = most <= duration(starts, longer) - duration(starts, !longer);

		if (!name)
			return -ENOMEM;
		fprintf(out, is_part ? "; the largest part for %s: %s s %s" : "; for %s alone: %s s %s", name,
			report_timeline_time(most, time), longer ? "more" : "less");
	}
	return 0;
}

char *report_starts_sentence(const struct report_starts *starts)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int r;

	if (starts->n == 1)
		return report_timeline_sentence(starts->timelines, starts->sums);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	print_total(out, starts);
	print_causes(out, starts);
	r = print_file(out, starts);
	if (starts->sums[1].prefetches) {
		fputs("; ", out);
		report_timeline_prefetched(out, &starts->sums[1]);
	}
	fputc('.', out);
	if (fclose(out) != 0 || r < 0) {
		free(text);
		return NULL;
	}
	return text;
}
