/* SPDX-License-Identifier: MIT */
/* Target: the timeline on disk, and everything that is made of one: the report, the page, the export. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "report/pictures/pictures.h"
#include "report/timelines/report.h"
#include "seal.h"
#include "timeline/timeline-file.h"

size_t inputs_taken;

/* What is read and written again is the same, byte by byte: nothing in a file is ignored. */
static void write_again(const struct timeline *timeline, const void *data, size_t size)
{
	_cleanup_free_ void *again = NULL;
	size_t again_size;

	must(timeline_serialize(timeline, &again, &again_size) == 0);
	must(again_size == size && memcmp(again, data, size) == 0);
}

/* Each moment has one cause. */
static void add_up(const struct timeline *timeline)
{
	_cleanup_(sums_releasep) struct sums sums = {0};
	uint64_t total;

	must(sums_make(timeline, &sums) == 0);
	total = sums.causes.nobody;
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		total += sums.causes.states[i];
	must(total == sums.causes.total && total == timeline->duration);
	must(sums.bytes >= sums.prefetched_bytes[TIMELINE_IN_TIME]);
}

/* Returns whether it is a good timeline with reads. */
static bool parse(const void *data, size_t size)
{
	const struct report_style style = {.columns = 80, .rows = 5, .utf8 = size % 2};
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	struct timeline both[2];

	if (timeline_parse(data, size, &timeline) != TIMELINE_GOOD)
		return false;
	write_again(&timeline, data, size);
	add_up(&timeline);
	both[0] = both[1] = timeline;
	must(report_timeline_text(nowhere(), &timeline, &style) == 0);
	must(report_timeline_json(nowhere(), &timeline) == 0);
	must(report_timeline_page(nowhere(), &timeline, 1) == 0);
	must(report_timeline_perfetto(nowhere(), &timeline, 1) == 0);
	must(report_timeline_page(nowhere(), both, 2) == 0);
	must(report_timeline_svg(nowhere(), both, 2) == 0);
	return timeline.n_reads > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ void *copy = exact_copy(data, size);
	bool taken = parse(copy, size);

	seal_profile(copy, size); /* a timeline has its size and its checksum in the same places */
	taken |= parse(copy, size);
	inputs_taken += taken;
	return 0;
}
