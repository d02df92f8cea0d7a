/* SPDX-License-Identifier: MIT */
/* Makes the timeline of what a recording has gathered, and finds out when the start ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "record/session.h"
#include "record/timelines/source.h"
#include "timeline/build.h"

/* The start is over when its milestone is reached: not when we notice that everybody has ended or is idle. */
static uint64_t end_of(const struct session *session, uint64_t noticed)
{
	const struct record_trace *trace = &session->trace;
	uint64_t last = 0;

	if (streq(session->milestone, "idle"))
		return (uint64_t)(session->last_event * 1e9);
	if (!streq(session->milestone, "exit"))
		return noticed;
	for (size_t i = 0; i < trace->n_moments; i++)
		if (trace->moments[i].kind == MOMENT_SWITCH && (trace->moments[i].state & MOMENT_ENDED) &&
			trace->moments[i].time > last)
			last = trace->moments[i].time;
	return last && last < noticed ? last : noticed;
}

static int describe(
	const struct session *session, const struct record_result *result, struct timeline *timeline)
{
	const struct profile *profile = &result->profile;

	timeline->command = strdup(profile->command);
	timeline->program = strdup(profile->program);
	timeline->kernel = strdup(profile->kernel);
	timeline->ended_by = strdup(profile->milestone);
	timeline->recorded = profile->recorded;
	timeline->lost = session->trace.lost || session->trace.requests_lost;
	if (!timeline->command || !timeline->program || !timeline->kernel || !timeline->ended_by)
		return -ENOMEM;
	return timeline_add_mark(timeline, timeline->duration, timeline->ended_by);
}

/* What headstart does when the program has ended already does not belong to the start. */
static int end_sooner(struct timeline_events *events, struct timeline *timeline)
{
	uint64_t end;
	int r = timeline_find_end(timeline, &end);

	if (r < 0 || end == timeline->duration)
		return r;
	timeline_release(timeline);
	events->ended = events->began + end;
	return timeline_build(events, timeline);
}

int session_make_timeline(struct session *session, struct record_result *result)
{
	_cleanup_(timeline_source_release) struct timeline_source source = {0};
	struct timeline_events events = {
		.waits = session->sleepers.remarks,
		.n_waits = session->sleepers.n_remarks,
		.began = (uint64_t)(session->started * 1e9),
		.first = session->first,
		.page_size = result->profile.page_size,
	};
	int r = timeline_source_make(
		&session->trace, &session->opens.files, &result->disks, &source, &events);

	if (r < 0)
		return r;
	events.ended = end_of(session, events.began + (uint64_t)(result->seconds * 1e9));
	r = timeline_build(&events, &result->timeline);
	if (r == 0 && streq(session->milestone, "exit"))
		r = end_sooner(&events, &result->timeline);
	return r < 0 ? r : describe(session, result, &result->timeline);
}
