/* SPDX-License-Identifier: MIT */
/* Unit tests of where the time of a start went: random starts, and each moment of them looked at by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "timeline/causes.h"

enum { THREADS_MAX = 9, SPANS_MAX = 12, DURATION = 120 };

static struct timeline_thread threads[THREADS_MAX];
static struct timeline_span spans[THREADS_MAX * SPANS_MAX];

static uint32_t chance(uint32_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Threads that begin and end at any time, whose spans follow each other; at so few times that many are the same. */
static struct timeline random_start(void)
{
	struct timeline timeline = {.threads = threads,
		.n_threads = chance(THREADS_MAX + 1),
		.spans = spans,
		.duration = DURATION};

	for (size_t i = 0; i < timeline.n_threads; i++) {
		uint64_t time = chance(DURATION / 2);

		for (size_t n = 1 + chance(SPANS_MAX - 1); n > 0 && time < DURATION; n--) {
			uint64_t end = time + 1 + chance(20);

			spans[timeline.n_spans++] = (struct timeline_span){
				.begin = time,
				.end = end < DURATION ? end : DURATION,
				.thread = (uint32_t)i,
				.state = chance(TIMELINE_STATES),
			};
			time = end;
		}
		threads[i] = (struct timeline_thread){.end = spans[timeline.n_spans - 1].end};
	}
	return timeline;
}

static const struct timeline_span *span_at(const struct timeline *timeline, size_t thread, uint64_t time)
{
	for (size_t i = 0; i < timeline->n_spans; i++)
		if (spans[i].thread == thread && spans[i].begin <= time && time < spans[i].end)
			return &spans[i];
	return NULL;
}

/* As causes.h has it: the first thread in this state, or that has waited longest, or that goes on first. */
static const struct timeline_span *find(const struct timeline *timeline, uint64_t time, int state)
{
	const struct timeline_span *found = NULL;

	for (size_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_span *span = span_at(timeline, i, time);

		if (!span || (state >= 0 && (int)span->state != state))
			continue;
		if (!found || (state == TIMELINE_READ && span->begin < found->begin) ||
			(state < 0 && span->end < found->end))
			found = span;
	}
	return found;
}

static const struct timeline_span *cause_at(const struct timeline *timeline, uint64_t time)
{
	static const int states[] = {TIMELINE_RUNNING, TIMELINE_RUNNABLE, TIMELINE_READ, -1};
	const struct timeline_span *found = NULL;

	for (size_t i = 0; i < 4 && !found; i++)
		found = find(timeline, time, states[i]);
	return found;
}

static void each_moment_has_the_cause_that_it_should(void **state)
{
	for (int round = 0; round < 500; round++) {
		struct timeline timeline = random_start();
		uint64_t expected[THREADS_MAX * SPANS_MAX] = {0}, nobody = 0;
		struct timeline_causes causes;

		for (uint64_t time = 0; timeline.n_threads > 0 && time < DURATION; time++) {
			const struct timeline_span *span = cause_at(&timeline, time);

			if (span)
				expected[span - spans]++;
			else
				nobody++;
		}
		assert_int_equal(timeline_causes_find(&timeline, &causes), 0);
		assert_memory_equal(causes.by_span, expected, timeline.n_spans * sizeof(*expected));
		assert_int_equal(causes.nobody, nobody);
		assert_int_equal(causes.total, timeline.n_threads > 0 ? DURATION : 0);
		timeline_causes_release(&causes);
	}
}

/* The spans of the threads of a process alone, from its begin to its end. */
static void a_process_has_causes_of_its_own(void **state)
{
	for (int round = 0; round < 200; round++) {
		struct timeline timeline = random_start();
		size_t firsts[THREADS_MAX + 1] = {0};
		uint32_t numbers[THREADS_MAX];
		struct timeline_causes all, causes;

		if (timeline.n_threads == 0)
			continue;
		for (size_t i = 0; i < timeline.n_spans; i++)
			firsts[spans[i].thread + 1] = i + 1;
		for (uint32_t i = 0; i < timeline.n_threads; i++)
			numbers[i] = i;
		assert_int_equal(timeline_causes_find(&timeline, &all), 0);
		assert_int_equal(
			timeline_causes_find_process(&timeline, numbers, timeline.n_threads, firsts, &causes),
			0);
		assert_memory_equal(causes.states, all.states, sizeof(all.states));
		timeline_causes_release(&all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_moment_has_the_cause_that_it_should),
		cmocka_unit_test(a_process_has_causes_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
