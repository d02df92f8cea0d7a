/* SPDX-License-Identifier: MIT */
#include "timeline/owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "timeline/build.h"

void owners_release(struct owners *owners)
{
	free(owners->processes);
	free(owners->born_own);
	free(owners->turns_at);
	free(owners->turns);
}

static bool is_own_program(const char *path)
{
	static const char *const names[] = {"headstart", "headstart-prefetch", "headstart-tool"};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (streq(slash ? slash + 1 : path, names[i]))
			return true;
	return false;
}

static int compare_turns(const void *a, const void *b)
{
	const struct owners_turn *x = a, *y = b;

	if (x->process != y->process)
		return x->process > y->process ? 1 : -1;
	return (x->time > y->time) - (x->time < y->time);
}

bool owners_have(const struct owners *owners, uint32_t thread, uint64_t time)
{
	uint32_t process = owners->processes[thread];
	const struct owners_turn *turns = &owners->turns[owners->turns_at[process]];
	size_t low = ARRAY_BISECT(
		i, owners->turns_at[process + 1] - owners->turns_at[process], turns[i].time <= time);

	return low > 0 ? turns[low - 1].own : owners->born_own[process];
}

int owners_init(struct owners *owners, const struct timeline *timeline)
{
	owners->processes = calloc(timeline->n_threads + 1, sizeof(*owners->processes));
	owners->born_own = calloc(timeline->n_threads + 1, sizeof(*owners->born_own));
	owners->turns_at = calloc(timeline->n_threads + 1, sizeof(*owners->turns_at));
	owners->turns = calloc(timeline->n_execs + 1, sizeof(*owners->turns));
	if (!owners->processes || !owners->born_own || !owners->turns_at || !owners->turns)
		return -ENOMEM;
	owners->n_turns = timeline->n_execs;
	for (uint32_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];
		bool first = thread->tid == thread->pid || thread->parent == TIMELINE_NONE;

		owners->processes[i] = first ? i : owners->processes[thread->parent];
	}
	for (size_t i = 0; i < timeline->n_execs; i++) {
		uint32_t process = owners->processes[timeline->execs[i].thread];

		owners->turns[i] = (struct owners_turn){
			timeline->execs[i].time, process, is_own_program(timeline->execs[i].path)};
		owners->turns_at[process + 1]++;
	}
	if (owners->n_turns > 1)
		qsort(owners->turns, owners->n_turns, sizeof(*owners->turns), compare_turns);
	for (uint32_t i = 0; i < timeline->n_threads; i++)
		owners->turns_at[i + 1] += owners->turns_at[i];
	for (uint32_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];

		owners->born_own[i] =
			thread->parent != TIMELINE_NONE && owners_have(owners, thread->parent, thread->begin);
	}
	return 0;
}

void owners_name_waits(const struct owners *owners, struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_spans; i++) {
		struct timeline_span *span = &timeline->spans[i];

		if (span->state == TIMELINE_EVENTS && owners_have(owners, span->thread, span->begin))
			span->state = TIMELINE_READ;
	}
}

int timeline_find_end(const struct timeline *timeline, uint64_t *ret)
{
	_cleanup_(owners_release) struct owners owners = {0};
	bool any = false;
	uint64_t end = 0;

	if (owners_init(&owners, timeline) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < timeline->n_threads; i++) {
		uint64_t ended = timeline->threads[i].end;

		if (owners_have(&owners, i, ended))
			continue;
		any = true;
		end = ended > end ? ended : end;
	}
	*ret = any ? end : timeline->duration;
	return 0;
}
