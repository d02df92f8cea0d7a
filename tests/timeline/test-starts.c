/* SPDX-License-Identifier: MIT */
/* Unit tests of the sentence that compares two starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "report/timelines/starts.h"

/* The second start is made of the first one: the reads of one file take less, and the rest is as it was. */
static void what_was_gained_and_where(void **state)
{
	static const struct {
		uint64_t took;
		const char *says;
	} list[] = {
		{2,
			"The second start took 2.0 s instead of 11.0 s, 9.0 s less (5.5 times faster): 9.0 s less waiting "
			"for reads; the largest part for /lib/slow: 9.0 s less."},
		{11, "The second start took 11.0 s instead of 11.0 s, which is no difference to speak of."},
		{13,
			"The second start took 13.0 s instead of 11.0 s, 2.0 s more: 2.0 s more waiting for reads; the largest "
			"part for /lib/slow: 2.0 s more."},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		_cleanup_(report_starts_release) struct report_starts starts = {0};
		_cleanup_free_ char *sentence = NULL;
		struct timeline both[2] = {0};

		for (size_t j = 0; j < 2; j++) {
			uint64_t end = (j ? list[i].took : 11) * 1000000000;

			both[j] = (struct timeline){.page_size = 4096, .duration = end};
			timeline_add_thread(&both[j],
				&(struct timeline_thread){
					.end = end, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
				"program");
			timeline_add_file(&both[j], TIMELINE_REGULAR, 100, j ? "/lib/other" : "/lib/slow");
			timeline_add_file(&both[j], TIMELINE_REGULAR, 100, j ? "/lib/slow" : "/lib/other");
			timeline_add_span(&both[j],
				&(struct timeline_span){.end = end,
					.state = TIMELINE_READ,
					.file = j ? 1 : 0,
					.read = TIMELINE_NONE,
					.note = TIMELINE_NONE,
					.waker = TIMELINE_NONE});
			assert_int_equal(timeline_check(&both[j]), 0);
		}
		assert_int_equal(report_starts_init(&starts, both, 2), 0);
		sentence = report_starts_sentence(&starts);
		assert_string_equal(sentence, list[i].says);
		timeline_release(&both[0]);
		timeline_release(&both[1]);
	}
}

/* Two starts that wait for files "/lib/a" and "/lib/b", and then compute, for these milliseconds. */
static char *compared(const uint64_t waited[2][3])
{
	_cleanup_(report_starts_release) struct report_starts starts = {0};
	struct timeline both[2] = {0};
	char *sentence;

	for (size_t j = 0; j < 2; j++) {
		uint64_t time = 0;

		both[j] = (struct timeline){.page_size = 4096,
			.duration = (waited[j][0] + waited[j][1] + waited[j][2]) * 1000000};
		timeline_add_thread(&both[j],
			&(struct timeline_thread){
				.end = both[j].duration, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
			"program");
		timeline_add_file(&both[j], TIMELINE_REGULAR, 100, "/lib/a");
		timeline_add_file(&both[j], TIMELINE_REGULAR, 100, "/lib/b");
		for (uint32_t i = 0; i < 3; i++) {
			const struct timeline_span span = {.begin = time,
				.end = time + waited[j][i] * 1000000,
				.state = i < 2 ? TIMELINE_READ : TIMELINE_RUNNING,
				.file = i < 2 ? i : TIMELINE_NONE,
				.read = TIMELINE_NONE,
				.note = TIMELINE_NONE,
				.waker = TIMELINE_NONE};

			timeline_add_span(&both[j], &span);
			time = span.end;
		}
		assert_int_equal(timeline_check(&both[j]), 0);
	}
	assert_int_equal(report_starts_init(&starts, both, 2), 0);
	sentence = report_starts_sentence(&starts);
	timeline_release(&both[0]);
	timeline_release(&both[1]);
	return sentence;
}

static void the_file_that_is_named_explains_the_difference(void **state)
{
	static const struct {
		uint64_t waited[2][3];
		const char *says;
	} list[] = {
		/* No factor that rounds to 1.0. */
		{{{1000, 0, 1000}, {940, 0, 1000}},
			"The second start took 1.9 s instead of 2.0 s, 0.060 s less: 0.060 s less waiting for reads; the largest part "
			"for /lib/a: 0.060 s less."},
		/* One file got faster, but the start got slower. */
		{{{2000, 1000, 1000}, {1000, 5000, 1000}},
			"The second start took 7.0 s instead of 4.0 s, 3.0 s more: 3.0 s more waiting for reads; for /lib/b alone: "
			"4.0 s more."},
		/* Only the second start waited for the file. */
		{{{0, 0, 1000}, {0, 3000, 1000}},
			"The second start took 4.0 s instead of 1.0 s, 3.0 s more: 3.0 s more waiting for reads; the largest part for "
			"/lib/b: 3.0 s more."},
		{{{1000, 2000, 0}, {2000, 1000, 0}},
			"The second start took 3.0 s instead of 3.0 s, which is no difference to speak of."},
		{{{0, 0, 0}, {0, 0, 0}},
			"The second start took 0.000 s instead of 0.000 s, which is no difference to speak of."},
		{{{0, 0, 1000}, {0, 0, 0}},
			"The second start took 0.000 s instead of 1.0 s, 1.0 s less: 1.0 s less computing."},
		{{{0, 0, 0}, {0, 0, 1000}},
			"The second start took 1.0 s instead of 0.000 s, 1.0 s more: 1.0 s more computing."},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		_cleanup_free_ char *sentence = compared(list[i].waited);

		assert_string_equal(sentence, list[i].says);
	}
}

/* A start that computes for a second, and then is not there until it has taken so many seconds. */
static struct timeline start_of(uint64_t seconds)
{
	const uint64_t end = 1000000000;
	struct timeline timeline = {.page_size = 4096, .duration = seconds * end};
	const struct timeline_span span = {.end = end,
		.state = TIMELINE_RUNNING,
		.file = TIMELINE_NONE,
		.read = TIMELINE_NONE,
		.note = TIMELINE_NONE,
		.waker = TIMELINE_NONE};

	timeline_add_thread(&timeline,
		&(struct timeline_thread){.end = end, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
		"program");
	timeline_add_span(&timeline, &span);
	assert_int_equal(timeline_check(&timeline), 0);
	return timeline;
}

static void time_without_a_process_explains_the_difference(void **state)
{
	_cleanup_(report_starts_release) struct report_starts starts = {0};
	_cleanup_free_ char *sentence = NULL;
	struct timeline both[2] = {start_of(1), start_of(5)};

	assert_int_equal(report_starts_init(&starts, both, 2), 0);
	sentence = report_starts_sentence(&starts);
	assert_string_equal(sentence,
		"The second start took 5.0 s instead of 1.0 s, 4.0 s more: 4.0 s more without any process.");
	timeline_release(&both[0]);
	timeline_release(&both[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_gained_and_where),
		cmocka_unit_test(the_file_that_is_named_explains_the_difference),
		cmocka_unit_test(time_without_a_process_explains_the_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
