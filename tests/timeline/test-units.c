/* SPDX-License-Identifier: MIT */
/* The boot of a machine is made of what its threads did: which unit each was in, what the unit waited for, what it read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "timeline/sums.h"
#include "timeline/timeline-file.h"
#include "timeline/units.h"

#define BEGAN   (1000 * MS) /* of the fixture */
#define SYSTEMD 1           /* pid */
#define SHELL   300
#define LOGIN   302

static struct timeline_member members[16];
static struct timeline_boot boot;

static void begin(void)
{
	start_begin();
	start.no_calls = true;
	boot = (struct timeline_boot){.began = BEGAN, .members = members};
}

static void in_unit(uint64_t at, int32_t pid, const char *unit)
{
	members[boot.n_members++] =
		(struct timeline_member){.time = BEGAN + at * MS, .pid = pid, .unit = unit};
}

static void end(uint64_t at, struct timeline *ret)
{
	_cleanup_(timeline_releasep) struct timeline threads = {0};

	start_end(at, &threads);
	assert_int_equal(timeline_of_units(&threads, &boot, ret), 0);
	assert_int_equal(timeline_check(ret), 0);
	assert_true(timeline_is_boot(ret));
}

static uint32_t unit(const struct timeline *timeline, const char *name)
{
	uint32_t i = 0;

	while (i < timeline->n_threads && strcmp(timeline->threads[i].name, name) != 0)
		i++;
	assert_true(i < timeline->n_threads);
	return i;
}

static const struct sum_unit *sum_of(const struct sums *sums, uint32_t thread)
{
	size_t i = 0;

	while (i < sums->n_units && sums->units[i].thread != thread)
		i++;
	assert_true(i < sums->n_units);
	return &sums->units[i];
}

/* A thread sleeps, and no signal can end that. */
static void waits(uint64_t from, uint64_t to, int32_t who)
{
	switches(from, who, 2, 0);
	wakes(to, 0, who, CONTEXT_HARD);
	switches(to, 0, 0, who);
}

/* It sleeps until it has read pages of a file that nobody had read before. */
static void reads_pages(uint64_t from, uint64_t to, int32_t who, uint64_t inode, uint64_t sector)
{
	adds(from, who, inode, 0, 7);
	asks(from, who, sector, 8);
	serves(from, to, sector, 8);
	waits(from, to, who);
}

/* Because it touches one of them. */
static void reads_file(uint64_t from, uint64_t to, int32_t who, uint64_t inode, uint64_t sector)
{
	touches(from, who, inode, 0);
	reads_pages(from, to, who, inode, sector);
}

/* By read(2): what was read is told when it is there, or, by older kernels, never. */
static void reads_by_call(uint64_t from, uint64_t to, int32_t who, uint64_t inode, uint64_t sector, bool told)
{
	reads_pages(from, to, who, inode, sector);
	if (told)
		touches(to, who, inode, 0);
}

/* A shell in a unit of its own, and nothing else. */
static void begin_with_shell(void)
{
	begin();
	makes(0, MAIN, SHELL, 0);
	in_unit(0, SHELL, "shell.service");
	switches(0, MAIN, 1, SHELL);
}

static uint64_t waited_for(const struct timeline *timeline, const char *path)
{
	uint64_t waited = 0;

	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		if (span->state == TIMELINE_READ && span->file != TIMELINE_NONE &&
			strcmp(timeline->files[span->file].path, path) == 0)
			waited += span->end - span->begin;
	}
	return waited;
}

static void each_wait_counts_for_the_file_that_was_read(bool told)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	begin_with_shell();
	reads_file(5, 10, SHELL, LIBRARY, 800); /* by a fault */
	reads_by_call(12, 20, SHELL, DATA, 8000, told);
	reads_by_call(21, 24, SHELL, SYSTEM, 80000, false); /* a folder */
	reads_by_call(25, 40, SHELL, DATA, 16000, told);
	end(50, &timeline);
	assert_int_equal(waited_for(&timeline, "/lib/library"), 5 * MS);
	assert_int_equal(waited_for(&timeline, "/dev/sda"), 3 * MS);
	assert_int_equal(waited_for(&timeline, "/data"), 23 * MS);
}

static void waits_of_calls_count_for_their_file(void **state)
{
	each_wait_counts_for_the_file_that_was_read(true);
}

static void where_the_kernel_tells_only_what_was_added(void **state)
{
	each_wait_counts_for_the_file_that_was_read(false);
}

static void what_is_no_read_does_not_count(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};
	const struct sum_unit *sum;

	begin_with_shell();
	reads_file(5, 10, SHELL, LIBRARY, 800);
	waits(12, 15, SHELL); /* for a lock, after it has touched something */
	touches(16, SHELL, DATA, 0);
	waits(16, 20, SHELL);
	adds_on(21, SHELL, DISK, DATA, 8, 9); /* it writes, and waits until that is on the disk */
	waits(22, 30, SHELL);
	reads_by_call(31, 33, SHELL, LIBRARY, 8000, true);
	end(50, &timeline);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	sum = sum_of(&sums, unit(&timeline, "shell.service"));
	assert_int_equal(sum->waited, 7 * MS);
	assert_int_equal(sum->reads, 2);
	assert_int_equal(sum->files, 1);
}

/* A page that another unit reads. */
static void a_read_of_others_that_was_waited_for(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};

	begin_with_shell();
	makes(1, MAIN, LOGIN, 0);
	in_unit(1, LOGIN, "login.service");
	adds(5, LOGIN, DATA, 0, 7);
	asks(5, LOGIN, 800, 8);
	serves(5, 15, 800, 8);
	touches(6, SHELL, DATA, 3);
	waits(6, 15, SHELL);
	end(50, &timeline);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sum_of(&sums, unit(&timeline, "shell.service"))->waited, 9 * MS);
	assert_int_equal(waited_for(&timeline, "/data"), 9 * MS);
}

/* systemd starts a shell, which is put into its unit a moment later; what the shell starts is in the unit as well. */
static void what_a_unit_waited_for(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};
	const struct sum_unit *sum;

	begin();
	makes(0, MAIN, SYSTEMD, 0);
	in_unit(0, SYSTEMD, "init.scope");
	makes(2, SYSTEMD, SHELL, 0);
	switches(2, SYSTEMD, 1, SHELL);
	in_unit(4, SHELL, "shell.service");
	reads_file(10, 30, SHELL, LIBRARY, 800);
	makes(31, SHELL, CHILD, 0);
	calls(32, SHELL, -1);
	switches(32, SHELL, 1, CHILD);
	reads_file(33, 40, CHILD, DATA, 8000);
	switches(45, CHILD, DEAD, 0);
	end(50, &timeline);
	assert_int_equal(timeline.n_threads, 3);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sums.n_units, 3);
	assert_string_equal(timeline.threads[sums.units[0].thread].name, "shell.service");
	sum = sum_of(&sums, unit(&timeline, "shell.service"));
	assert_int_equal(sum->waited, 27 * MS);
	assert_int_equal(sum->bytes, 16 * PAGE);
	assert_int_equal(sum->files, 2);
	assert_int_equal(sum->reads, 2);
	assert_int_equal(sum->seeks, 2);
	assert_string_equal(timeline.files[sum->file].path, "/lib/library");
	assert_int_equal(sum->file_waited, 20 * MS);
	/* From its first moment: before it was put there nobody else had anything of it. */
	assert_int_equal(timeline.threads[sum->thread].begin, 2 * MS);
	assert_int_equal(sum_of(&sums, unit(&timeline, "init.scope"))->waited, 0);
}

/* Somebody logs in: the process was a service's, and goes to a scope. */
static void a_process_that_is_moved(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};

	begin();
	makes(0, MAIN, SYSTEMD, 0);
	in_unit(0, SYSTEMD, "init.scope");
	makes(1, SYSTEMD, SHELL, 0);
	in_unit(1, SHELL, "ssh.service");
	makes(2, SHELL, LOGIN, 0);
	switches(2, SHELL, 1, LOGIN);
	reads_file(5, 10, LOGIN, DATA, 800);
	in_unit(20, LOGIN, "session-1.scope");
	calls(20, LOGIN, -1);
	switches(20, LOGIN, 1, 0);
	switches(21, 0, 0, LOGIN);
	reads_file(25, 40, LOGIN, LIBRARY, 80000);
	end(50, &timeline);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sum_of(&sums, unit(&timeline, "ssh.service"))->waited, 5 * MS);
	assert_int_equal(sum_of(&sums, unit(&timeline, "session-1.scope"))->waited, 15 * MS);
	assert_int_equal(sum_of(&sums, unit(&timeline, "session-1.scope"))->bytes, 8 * PAGE);
}

static void times_and_targets(void **state)
{
	static const struct timeline_said said[] = {
		{"shell.service", BEGAN + 2 * MS, BEGAN + 30 * MS},
		{"init.scope", 5, 6},
		{"late.target", BEGAN + 60 * MS, BEGAN + 60 * MS},
		{"multi-user.target", BEGAN + 40 * MS, BEGAN + 40 * MS},
		{"before.target", BEGAN - 1, BEGAN - 1},
		{"never.target", TIMELINE_NEVER, TIMELINE_NEVER},
	};
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(timeline_releasep) struct timeline again = {0};
	_cleanup_free_ void *data = NULL;
	const struct timeline_unit *times;
	size_t size;

	begin();
	makes(0, MAIN, SYSTEMD, 0);
	in_unit(0, SYSTEMD, "init.scope");
	makes(2, SYSTEMD, SHELL, 0);
	in_unit(3, SHELL, "shell.service");
	boot.said = said;
	boot.n_said = sizeof(said) / sizeof(*said);
	end(50, &timeline);
	times = &timeline.units[unit(&timeline, "shell.service")];
	assert_int_equal(times->started, 2 * MS);
	assert_int_equal(times->active, 30 * MS);
	times = &timeline.units[unit(&timeline, "init.scope")];
	assert_int_equal(times->started, 0);
	assert_int_equal(times->active, 0);
	times = &timeline.units[unit(&timeline, "(no unit)")];
	assert_true(times->started == TIMELINE_NEVER && times->active == TIMELINE_NEVER);
	assert_int_equal(timeline.n_marks, 1);
	assert_string_equal(timeline.marks[0].name, "multi-user.target");
	/* It is written and read like any timeline. */
	assert_int_equal(timeline_serialize(&timeline, &data, &size), 0);
	assert_int_equal(timeline_parse(data, size, &again), TIMELINE_GOOD);
	assert_int_equal(again.n_units, timeline.n_units);
	assert_memory_equal(again.units, timeline.units, timeline.n_units * sizeof(*timeline.units));
}

/* Without a control group that is a unit's, and without any event. */
static void nothing_is_known(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	begin();
	end(50, &timeline);
	assert_int_equal(timeline.n_threads, 1);
	assert_string_equal(timeline.threads[0].name, "(no unit)");
}

/* More units than anybody has: what the last ones do is that of one. */
static void more_units_than_there_is_room_for(void **state)
{
	enum { MORE = 100, N = TIMELINE_UNITS_MAX + MORE };
	struct timeline_moment *moments = calloc(N + 1, sizeof(*moments));
	struct timeline_member *all = calloc(N, sizeof(*all));
	char(*names)[32] = calloc(N, sizeof(*names));
	_cleanup_(timeline_releasep) struct timeline threads = {0};
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	struct timeline_events events = {.moments = moments,
		.n_moments = N,
		.began = BEGAN,
		.ended = BEGAN + MS,
		.first = MAIN,
		.page_size = PAGE};
	struct timeline_boot many = {.began = BEGAN, .members = all, .n_members = N};

	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof(*names), "unit-%d.service", i);
		moments[i] = (struct timeline_moment){
			.time = BEGAN, .thread = MAIN, .other = 10000 + i, .kind = MOMENT_NEW};
		all[i] = (struct timeline_member){.time = BEGAN, .pid = 10000 + i, .unit = names[i]};
	}
	assert_int_equal(timeline_build(&events, &threads), 0);
	assert_int_equal(timeline_of_units(&threads, &many, &timeline), 0);
	assert_int_equal(timeline_check(&timeline), 0);
	assert_int_equal(timeline.n_threads, TIMELINE_UNITS_MAX);
	unit(&timeline, "(other units)");
	unit(&timeline, "unit-0.service");
	free(moments);
	free(all);
	free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_unit_waited_for),
		cmocka_unit_test(waits_of_calls_count_for_their_file),
		cmocka_unit_test(where_the_kernel_tells_only_what_was_added),
		cmocka_unit_test(what_is_no_read_does_not_count),
		cmocka_unit_test(a_read_of_others_that_was_waited_for),
		cmocka_unit_test(a_process_that_is_moved),
		cmocka_unit_test(times_and_targets),
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(more_units_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
