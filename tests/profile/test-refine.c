/* SPDX-License-Identifier: MIT */
/* A learnt recording approaches what a start needs, by starts that leave a few pages out. */
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

#define LIBRARY "/opt/app/lib/big"

/* ---- a kernel that faults, reads around and maps around ---- */

#define PAGES      (64u << 10) /* of the library */
#define WINDOW     16u         /* pages that a fault maps, if they are in memory: fault_around_bytes */
#define AROUND     32u         /* pages that a fault on a missing page brings in: read_ahead_kb 128 */
#define TRUE_PAGES 11000u      /* 43 MB, as LibreOffice needs */

struct world {
	uint32_t order[TRUE_PAGES]; /* the pages that each start touches, in this order */
	bool needed[PAGES];
	uint64_t random;
};

struct machine {
	bool cached[PAGES], mapped[PAGES], asked[PAGES];
};

static uint32_t roll(struct world *world, uint32_t below)
{
	world->random = world->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(world->random >> 33) % below;
}

/* Runs of about 15 pages, mostly with a few between them, touched in no order. */
static void make_world(struct world *world)
{
	uint32_t runs[TRUE_PAGES][2], n_runs = 0, page = 0, n = 0;

	for (uint32_t left = TRUE_PAGES; left > 0; n_runs++) {
		uint32_t length = 1 + roll(world, 29);

		length = length < left ? length : left;
		runs[n_runs][0] = page;
		runs[n_runs][1] = length;
		left -= length;
		page += length + 1 + roll(world, roll(world, 3) ? 6 : 200);
		assert_true(page < PAGES);
	}
	for (uint32_t i = n_runs; i > 1; i--) {
		uint32_t j = roll(world, i), run[2];

		memcpy(run, runs[i - 1], sizeof(run));
		memcpy(runs[i - 1], runs[j], sizeof(run));
		memcpy(runs[j], run, sizeof(run));
	}
	for (uint32_t i = 0; i < n_runs; i++) {
		for (uint32_t j = 0; j < runs[i][1]; j++) {
			world->order[n++] = runs[i][0] + j;
			world->needed[runs[i][0] + j] = true;
		}
	}
}

static void touch(struct machine *machine, uint32_t page)
{
	uint32_t window = page / WINDOW * WINDOW, around = page < AROUND / 2 ? 0 : page - AROUND / 2;

	if (machine->mapped[page])
		return;
	for (uint32_t i = window; i < window + WINDOW; i++)
		machine->mapped[i] |= machine->cached[i];
	if (machine->mapped[page])
		return;
	machine->asked[page] = machine->mapped[page] = true;
	for (uint32_t i = around; i < around + AROUND && i < PAGES; i++)
		machine->cached[i] = true;
}

static struct profile seen_on(const struct machine *machine)
{
	struct profile seen = fixture_empty();
	struct profile_file *file;
	uint32_t order = 0;
	size_t index;

	assert_int_equal(profile_add_file(&seen, LIBRARY, PROFILE_REGULAR, &index), 0);
	file = &seen.files[index];
	for (uint32_t page = 0; page < PAGES; page++) {
		const struct profile_range range = {page, 1, order, 1, {.unsure = !machine->asked[page]}};

		if (!machine->mapped[page])
			continue;
		order++;
		assert_int_equal(profile_file_add_range(file, range), 0);
	}
	assert_int_equal(profile_finish(&seen), 0);
	return seen;
}

static struct profile start(const struct world *world, struct machine *machine)
{
	for (uint32_t i = 0; i < TRUE_PAGES; i++)
		touch(machine, world->order[i]);
	return seen_on(machine);
}

static bool always(void *context, const char *path)
{
	return true;
}

/* A start with this plan. Only pages that were left out come late. */
static void start_by_plan(const struct world *world, struct profile *plan)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	uint8_t *absent = calloc(profile_count_out(plan) + 1, 1);
	bool *left_out = calloc(PAGES, sizeof(*left_out));
	const struct profile_file *file = fixture_file(plan, LIBRARY);
	struct refine_start observed = {.absent = absent, .judged = always};
	struct refine_result result;
	struct profile seen;
	size_t n = 0;

	assert_true(machine && absent && left_out);
	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		memset((range->doubt.out ? left_out : machine->cached) + range->page, 1, range->pages);
	}
	seen = start(world, machine);
	for (uint32_t page = 0; page < PAGES; page++) {
		if (left_out[page])
			absent[n++] = !machine->cached[page];
		assert_true(!machine->asked[page] || left_out[page]);
	}
	assert_int_equal(n, profile_count_out(plan));
	observed.seen = &seen;
	assert_int_equal(profile_refine(plan, &observed, &result), 0);
	assert_int_equal(result.joined, 0);
	assert_int_equal(result.unsure, profile_count_unsure(plan));
	profile_release(&seen);
	free(left_out);
	free(absent);
	free(machine);
}

static bool has_page(const struct profile *profile, const char *path, uint32_t page)
{
	const struct profile_file *file = fixture_file(profile, path);

	for (size_t i = 0; i < file->n_ranges; i++)
		if (page - file->ranges[i].page < file->ranges[i].pages)
			return true;
	return false;
}

/* What was learnt with read-ahead on is 60 MB where 43 are needed. */
static void test_learnt_start_converges(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct machine *machine = calloc(1, sizeof(*machine));
	struct profile plan;
	uint64_t learnt;

	assert_true(world && machine);
	world->random = 7;
	make_world(world);
	plan = start(world, machine);
	free(machine);
	learnt = profile_bytes(&plan) / plan.page_size;
	assert_in_range(learnt, TRUE_PAGES * 13 / 10, TRUE_PAGES * 15 / 10);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		ssize_t out = profile_choose_out(&plan, REFINE_AROUND, seed);

		assert_int_equal(out, profile_count_out(&plan));
		assert_in_range(out, 1, learnt / REFINE_AROUND);
		start_by_plan(world, &plan);
	}
	for (uint32_t i = 0; i < TRUE_PAGES; i++)
		assert_true(has_page(&plan, LIBRARY, world->order[i]));
	assert_in_range(profile_bytes(&plan) / plan.page_size, TRUE_PAGES, TRUE_PAGES * 11 / 10);
	profile_release(&plan);
	free(world);
}

/* ---- single pages ---- */

#define R (struct profile_range[])
#define UNSURE                                                                                               \
	{                                                                                                    \
		.unsure = 1                                                                                  \
	}
#define PROGRAM "/opt/app/bin/app"

/* Refines with what a start has seen, which is released. */
static int refine(
	struct profile *known, struct profile *seen, struct refine_start start, struct refine_result *ret)
{
	int r;

	assert_int_equal(profile_finish(seen), 0);
	start.seen = seen;
	start.absent = start.absent ? start.absent : (const uint8_t *)"\0\0\0\0\0\0\0\0";
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
	assert_int_equal(result.unsure, 1);
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
	assert_int_equal(profile_copy(&known, &was), 0);
	assert_int_equal(profile_choose_out(&known, REFINE_AROUND, 1), 1);
	assert_planned(&known, &was, false);
	profile_release(&was);
	profile_release(&known);
}

/* Pages that are left out: asked for, not needed, and brought in by somebody else. */
static void test_left_out_pages(void **state)
{
	const struct profile_doubt out = {.unsure = 1, .out = 1};
	struct profile known =
		known_pages(R{{0, 4, 0, 1}, {20, 1, 4, 1, out}, {40, 1, 5, 1, out}, {60, 1, 6, 1, out}, {0}});
	struct profile seen = fixture_empty();
	struct refine_start start = {.absent = (const uint8_t[]){0, 1, 0}};
	struct refine_result result;

	fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {20, 1, 4, 1}, {0}});
	assert_int_equal(refine(&known, &seen, start, &result), 0);
	assert_int_equal(result.confirmed, 1);
	assert_int_equal(result.left, 1);
	assert_int_equal(result.unsure, 1);
	fixture_assert_ranges(&known, PROGRAM, R{{0, 4, 0, 1}, {20, 1, 4, 1}, {60, 1, 6, 1}, {0}});
	for (int i = 1; i < REFINE_TRIES; i++) {
		assert_int_equal(profile_choose_out(&known, REFINE_AROUND, 1), 1);
		seen = fixture_empty();
		fixture_ranges(&seen, PROGRAM, R{{0, 4, 0, 1}, {20, 1, 4, 1}, {0}});
		assert_int_equal(refine(&known, &seen, (struct refine_start){0}, &result), 0);
	}
	assert_int_equal(result.unsure, 0);
	assert_true(has_page(&known, PROGRAM, 60));
	assert_int_equal(profile_choose_out(&known, REFINE_AROUND, 1), 0);
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
	struct profile known = known_pages(R{{0, 4, 0, 1}, {20, 1, 4, 1, {.unsure = 1, .out = 1}}, {0}});
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
	assert_int_equal(result.unsure, 2);
	profile_release(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learnt_start_converges),
		cmocka_unit_test(test_page_that_is_not_touched_leaves),
		cmocka_unit_test(test_page_that_may_be_touched_stays),
		cmocka_unit_test(test_late_page_joins),
		cmocka_unit_test(test_what_a_start_executes_does_not_join),
		cmocka_unit_test(test_what_only_counts_leaves_the_plan),
		cmocka_unit_test(test_left_out_pages),
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
