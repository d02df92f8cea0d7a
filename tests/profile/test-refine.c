/* SPDX-License-Identifier: MIT */
/* What later starts touch makes a recording more exact. */
#include "profile/refine/refine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "profile/recordings/merge.h"

static bool always(void *context, const char *path)
{
	return true;
}

static bool has_page(const struct profile *profile, const char *path, uint32_t page)
{
	const struct profile_file *file = fixture_file(profile, path);

	for (size_t i = 0; i < file->n_ranges; i++)
		if (page - file->ranges[i].page < file->ranges[i].pages)
			return true;
	return false;
}

#define R (struct profile_range[])
#define UNSURE                                                                                               \
	{                                                                                                    \
		.unsure = 1                                                                                  \
	}
#define PROGRAM "/opt/app/bin/app"

static uint64_t count_unsure(const struct profile *profile)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		for (size_t j = 0; j < profile->files[i].n_ranges; j++)
			if (profile->files[i].ranges[j].doubt.unsure)
				pages += profile->files[i].ranges[j].pages;
	return pages;
}

/* Refines with what a start has seen, which is released. */
static int refine(
	struct profile *known, struct profile *seen, struct refine_start start, struct refine_result *ret)
{
	int r;

	assert_int_equal(profile_finish(seen), 0);
	start.seen = seen;
	start.judged = start.judged ? start.judged : always;
	r = profile_refine(known, &start, ret);
	profile_release(seen);
	return r;
}

static struct profile known_pages(const struct profile_range *ranges)
{
	struct profile known = fixture_empty();

	fixture_ranges(&known, PROGRAM, ranges);
	assert_int_equal(profile_finish(&known), 0);
	return known;
}

/* What one start is seen to touch. */
static void see_pages(struct profile *known, const struct profile_range *ranges, int expected)
{
	struct profile seen = fixture_empty();
	struct refine_result result;

	fixture_ranges(&seen, PROGRAM, ranges);
	assert_int_equal(refine(known, &seen, (struct refine_start){0}, &result), expected);
}

/* A certain page leaves after the third start in a row without it; one start with it, and it stays. */
static void test_page_that_is_not_touched_leaves(void **state)
{
	struct profile known = known_pages(R{{0, 4, 0, 1}, {20, 1, 4, 1}, {0}});
	struct refine_result result;

	for (int i = 0; i < 6; i++) {
		struct profile seen = fixture_empty();

		fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {0}});
		if (i == 2)
			fixture_ranges(&seen, PROGRAM, R{{20, 1, 4, 1}, {0}});
		assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
		assert_int_equal(has_page(&known, PROGRAM, 20), i < 5);
		assert_int_equal(result.left, i == 5);
	}
	assert_true(known.bias & PROFILE_BIAS_REFINED);
	fixture_assert_ranges(&known, PROGRAM, R{{0, 4, 0, 1}, {0}});
	profile_release(&known);
}

/* A page that was mapped beside a touched one may have been touched itself. */
static void test_page_that_may_be_touched_stays(void **state)
{
	struct profile known = known_pages(R{{0, 4, 0, 1}, {20, 1, 4, 1}, {0}});
	struct refine_result result;

	for (int i = 0; i < 5; i++) {
		struct profile seen = fixture_empty();

		fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {20, 1, 4, 1, UNSURE}, {0}});
		assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
		assert_int_equal(result.left, 0);
	}
	assert_true(has_page(&known, PROGRAM, 20));
	assert_int_equal(known.bias & PROFILE_BIAS_REFINED, 0);
	profile_release(&known);
}

/* Of what came late a page that was asked for joins, and not what the kernel read around it. */
static void test_late_page_joins(void **state)
{
	struct profile known = known_pages(R{{0, 4, 0, 1}, {0}}), seen = fixture_empty();
	struct refine_result result;

	fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {30, 1, 4, 1}, {31, 3, 5, 1, UNSURE}, {0}});
	fixture_ranges(&seen, "/opt/app/lib/new", R{{2, 1, 8, 1}, {3, 1, 9, 1, UNSURE}, {0}});
	assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
	assert_int_equal(result.joined, 3);
	assert_int_equal(count_unsure(&known), 1);
	assert_int_equal(known.runs, 1); /* so that each page that every run touched still says so */
	assert_true(has_page(&known, PROGRAM, 30));
	assert_false(has_page(&known, PROGRAM, 31));
	assert_true(has_page(&known, "/opt/app/lib/new", 3));
	profile_release(&known);
}

/* Somebody else's start may execute programs whose names are nobody's business, and as many as it likes. */
static void test_what_a_start_executes_does_not_join(void **state)
{
	struct profile known = known_pages(R{{0, 4, 0, 1}, {0}}), seen = fixture_empty();
	struct refine_result result;

	fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {30, 1, 4, 1}, {0}});
	assert_int_equal(profile_add_exec(&seen, "/home/ann/secret", 4), 0);
	assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
	assert_int_equal(result.joined, 1);
	assert_int_equal(known.n_execs, 1);
	assert_string_equal(known.execs[0].path, PROGRAM);
	profile_release(&known);
}

static void assert_planned(const struct profile *a, const struct profile *b, bool same)
{
	_cleanup_free_ void *of_a = NULL, *of_b = NULL;
	size_t size_of_a, size_of_b;

	assert_int_equal(profile_serialize_planned(a, &of_a, &size_of_a), 0);
	assert_int_equal(profile_serialize_planned(b, &of_b, &size_of_b), 0);
	assert_int_equal(size_of_a == size_of_b && memcmp(of_a, of_b, size_of_a) == 0, same);
}

/* A plan has to be made anew when pages join or leave, and not when starts are only counted. */
static void test_what_only_counts_leaves_the_plan(void **state)
{
	struct profile known = known_pages(R{{0, 4, 0, 1}, {20, 4, 4, 1}, {60, 1, 8, 1, UNSURE}, {0}}), was;

	assert_int_equal(profile_copy(&known, &was), 0);
	for (int i = 1; i <= REFINE_MISSED; i++) {
		see_pages(&known, R{{0, 4, 0, 1}, {20, 3, 4, 1}, {60, 1, 7, 1, UNSURE}, {0}}, 0);
		assert_planned(&known, &was, i < REFINE_MISSED);
	}
	profile_release(&was);
	profile_release(&known);
}

/* A start that ends at once, or that does something else, says nothing of what it did not touch. */
static void test_start_of_another_kind_tells_nothing(void **state)
{
	struct profile known = known_pages(R{{0, 400, 0, 1}, {0}}), seen = fixture_empty();
	struct refine_result result;

	fixture_ranges(&seen, PROGRAM, R{{0, 199, 0, 1}, {0}});
	assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), -ENODATA);
	seen = fixture_empty();
	fixture_ranges(&seen, PROGRAM, R{{0, 900, 0, 1}, {0}});
	assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), -ENODATA);
	fixture_assert_ranges(&known, PROGRAM, R{{0, 400, 0, 1}, {0}});
	profile_release(&known);
}

/* However many starts there are, each of which touches half of what is left, three quarters of a recording stay. */
static void test_many_starts_cannot_empty_a_recording(void **state)
{
	for (uint32_t bias = 0; bias <= PROFILE_BIAS_LEARNT; bias += PROFILE_BIAS_LEARNT) {
		uint32_t least = bias ? 200 : 300;
		struct profile known = known_pages(R{{0, 400, 0, 1}, {0}});

		known.bias |= bias;
		for (uint32_t touched = 399; touched >= least; touched--)
			for (int i = 0; i < REFINE_MISSED; i++)
				see_pages(&known, R{{0, touched, 0, 1}, {0}}, 0);
		for (int i = 0; i < REFINE_MISSED; i++)
			see_pages(
				&known, R{{0, least - 1, 0, 1}, {0}}, i == REFINE_MISSED - 1 ? -ENODATA : 0);
		assert_int_equal(profile_bytes(&known) / known.page_size, least);
		profile_release(&known);
	}
}

/* Nor do they replace its pages, or make it grow without end. */
static void test_many_starts_cannot_inflate_a_recording(void **state)
{
	struct profile known = known_pages(R{{0, 400, 0, 1}, {0}});

	for (uint32_t joined = 50; joined <= 350; joined += 50)
		see_pages(&known, R{{0, 400, 0, 1}, {1000, joined, 400, 1}, {0}}, 0);
	see_pages(&known, R{{0, 400, 0, 1}, {1000, 400, 400, 1}, {0}}, -ENODATA);
	assert_int_equal(profile_bytes(&known) / known.page_size, 750);
	/* The pages that joined do not stand in for those that were recorded. */
	see_pages(&known, R{{0, 299, 0, 1}, {1000, 350, 400, 1}, {0}}, 0);
	see_pages(&known, R{{0, 299, 0, 1}, {1000, 350, 400, 1}, {0}}, 0);
	see_pages(&known, R{{0, 299, 0, 1}, {1000, 350, 400, 1}, {0}}, -ENODATA);
	assert_int_equal(profile_bytes(&known) / known.page_size, 750);
	profile_release(&known);
}

/* A new build of a library is no start's doing, and what it needs now is what counts. */
static void test_new_build_begins_anew(void **state)
{
	for (uint8_t build = 1; build <= 2; build++) {
		struct profile known = known_pages(R{{0, 400, 0, 1}, {0}}), seen = fixture_empty();
		struct refine_result result;

		fixture_ranges(&known, "/opt/app/lib/new", R{{0, 400, 400, 1}, {0}});
		fixture_file(&known, "/opt/app/lib/new")->build_id_size = 1;
		fixture_file(&known, "/opt/app/lib/new")->build_id[0] = 1;
		assert_int_equal(profile_finish(&known), 0);
		fixture_ranges(&seen, PROGRAM, R{{0, 400, 0, 1}, {0}});
		fixture_ranges(&seen, "/opt/app/lib/new", R{{0, 450, 400, 1}, {0}});
		fixture_file(&seen, "/opt/app/lib/new")->build_id_size = 1;
		fixture_file(&seen, "/opt/app/lib/new")->build_id[0] = build;
		assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
		assert_int_equal(known.first_pages, build == 1 ? 800 : 850);
		profile_release(&known);
	}
}

/* A person's recording counts as it is, also when it is merged into one that was refined. */
static void test_merging_a_recording_begins_anew(void **state)
{
	struct profile known = known_pages(R{{0, 400, 0, 1}, {0}}),
		       more = known_pages(R{{0, 500, 0, 1}, {0}});

	see_pages(&known, R{{0, 390, 0, 1}, {0}}, 0);
	assert_int_equal(known.first_pages, 400);
	assert_int_equal(profile_merge(&known, &more), 0);
	assert_int_equal(known.first_touches, 0);
	see_pages(&known, R{{0, 390, 0, 1}, {0}}, 0);
	assert_int_equal(known.first_pages, 500);
	profile_release(&known);
	profile_release(&more);
}

static bool not_home(void *context, const char *path)
{
	return strncmp(path, "/home/", 6) != 0;
}

/* Files that no start shows, and what was touched before we looked, are not judged. */
static void test_what_is_not_seen_is_not_judged(void **state)
{
	struct profile known = fixture_empty();
	struct refine_result result;

	fixture_ranges(&known, PROGRAM, R{{0, 4, 0, 1}, {0}});
	fixture_ranges(&known, "/home/ann/settings", R{{0, 1, 4, 1}, {0}});
	fixture_ranges(&known, "/etc/ld.so.cache", R{{0, 2, 5, 1}, {0}});
	fixture_ranges(&known, "/opt/app/lib/first", R{{0, 3, 7, 1}, {0}});
	fixture_ranges(&known, "/opt/app/lib/last", R{{0, 1, 10, 1}, {0}});
	assert_int_equal(profile_finish(&known), 0);
	for (int i = 0; i < 4; i++) {
		struct profile seen = fixture_empty();

		fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {0}});
		fixture_ranges(&seen, "/opt/app/lib/first", R{{0, 3, 4, 1}, {0}});
		assert_int_equal(
			refine(&known, &seen, (struct refine_start){.found = 5, .judged = not_home}, &result),
			0);
	}
	assert_true(has_page(&known, "/home/ann/settings", 0));
	assert_true(has_page(&known, "/etc/ld.so.cache", 1));
	for (size_t i = 0; i < known.n_files; i++)
		assert_string_not_equal(known.files[i].path, "/opt/app/lib/last");
	profile_release(&known);
}

/* The pages of an updated library are those of the new one. */
static void test_updated_file_is_replaced(void **state)
{
	struct profile known = known_pages(R{{0, 4, 0, 1}, {20, 1, 4, 1, UNSURE}, {0}});
	struct profile seen = fixture_empty();
	struct refine_result result;

	fixture_ranges(&known, "/opt/app/lib/kept", R{{0, 9, 5, 1}, {0}});
	assert_int_equal(profile_finish(&known), 0);
	fixture_ranges(&seen, PROGRAM, R{{1, 4, 0, 1}, {9, 2, 4, 1, UNSURE}, {0}});
	fixture_ranges(&seen, "/opt/app/lib/kept", R{{0, 9, 6, 1}, {0}});
	fixture_file(&seen, PROGRAM)->size = 123;
	assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
	assert_true(has_page(&known, PROGRAM, 4));
	assert_true(has_page(&known, PROGRAM, 9));
	assert_false(has_page(&known, PROGRAM, 0));
	assert_int_equal(count_unsure(&known), 2);
	profile_release(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_that_is_not_touched_leaves),
		cmocka_unit_test(test_page_that_may_be_touched_stays),
		cmocka_unit_test(test_late_page_joins),
		cmocka_unit_test(test_what_a_start_executes_does_not_join),
		cmocka_unit_test(test_what_only_counts_leaves_the_plan),
		cmocka_unit_test(test_start_of_another_kind_tells_nothing),
		cmocka_unit_test(test_many_starts_cannot_empty_a_recording),
		cmocka_unit_test(test_many_starts_cannot_inflate_a_recording),
		cmocka_unit_test(test_new_build_begins_anew),
		cmocka_unit_test(test_merging_a_recording_begins_anew),
		cmocka_unit_test(test_what_is_not_seen_is_not_judged),
		cmocka_unit_test(test_updated_file_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
