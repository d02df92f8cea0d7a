/* SPDX-License-Identifier: MIT */
/* What was executed a moment ago is known again, by path and user, for a moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "headstartd/look/lately.h"

#define NOW 1000

static struct lately lately;

static int forget(void **state)
{
	lately_release(&lately);
	return 0;
}

/* What the looker says of a process of ours that has executed that path. */
static struct process_seen executed(const char *path, const char *program, const char *image)
{
	struct process_seen seen = {.pid = getpid(),
		.executed = path,
		.user = getuid(),
		.here = true,
		.fixed = true,
		.named = true};

	strcpy(seen.program, program);
	strcpy(seen.image, image);
	return seen;
}

static void note(const char *path, const char *program)
{
	const struct process_seen seen = executed(path, program, program);

	lately_note(&lately, &seen, NOW);
}

static bool knows(const char *path, uint64_t now)
{
	struct process_seen seen = {.pid = getpid(), .executed = path};

	return lately_knows(&lately, &seen, now);
}

static void it_is_known_again(void **state)
{
	struct process_seen seen = {.pid = getpid(), .executed = "/usr/bin/cc"};

	note("/usr/bin/cc", "/usr/bin/gcc-12");
	assert_true(lately_knows(&lately, &seen, NOW + 1));
	assert_string_equal(seen.program, "/usr/bin/gcc-12");
	assert_true(seen.named);
	assert_false(knows("/usr/bin/gcc-12", NOW + 1));
}

static void only_for_a_moment(void **state)
{
	note("/usr/bin/cc", "/usr/bin/gcc-12");
	assert_true(knows("/usr/bin/cc", NOW + LATELY_MS - 1));
	assert_false(knows("/usr/bin/cc", NOW + LATELY_MS));
}

/* Otherwise somebody who executes it all the time would decide which starts of others are not looked at. */
static void of_the_same_user_alone(void **state)
{
	note("/usr/bin/cc", "/usr/bin/cc");
	for (size_t i = 0; i < LATELY_ITEMS; i++)
		lately.items[i].marks.owner++;
	assert_false(knows("/usr/bin/cc", NOW));
}

static void with_the_same_mounts_alone(void **state)
{
	note("/usr/bin/cc", "/usr/bin/cc");
	for (size_t i = 0; i < LATELY_ITEMS; i++)
		lately.items[i].marks.mount++;
	assert_false(knows("/usr/bin/cc", NOW));
}

static void neither_scripts_nor_what_may_lead_elsewhere(void **state)
{
	struct process_seen script = executed("/usr/bin/a", "/usr/bin/a", "/usr/bin/python3");
	struct process_seen elsewhere = executed("/usr/bin/b", "/usr/bin/b", "/usr/bin/b");
	struct process_seen relative = executed("./c", "/usr/bin/c", "/usr/bin/c");

	struct process_seen movable = executed("/tmp/d", "/usr/bin/d", "/usr/bin/d");
	struct process_seen open = executed("/dev/fd/5", "/usr/bin/e", "/usr/bin/e");

	elsewhere.here = relative.fixed = movable.fixed = false;
	lately_note(&lately, &script, NOW);
	lately_note(&lately, &elsewhere, NOW);
	lately_note(&lately, &relative, NOW);
	lately_note(&lately, &movable, NOW);
	lately_note(&lately, &open, NOW);
	assert_false(knows("/tmp/d", NOW));
	assert_false(knows("/dev/fd/5", NOW));
	assert_false(knows("/usr/bin/a", NOW));
	assert_false(knows("/usr/bin/b", NOW));
	assert_false(knows("./c", NOW));
}

static void not_of_a_process_that_has_ended(void **state)
{
	struct process_seen seen = {.executed = "/usr/bin/cc"};

	note("/usr/bin/cc", "/usr/bin/cc");
	seen.pid = fork();
	if (seen.pid == 0)
		_exit(0);
	assert_int_equal(waitpid(seen.pid, NULL, 0), seen.pid);
	assert_false(lately_knows(&lately, &seen, NOW));
}

static void however_many_there_are(void **state)
{
	char path[32];
	unsigned known = 0;

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "/usr/bin/%u", i);
		note(path, path);
		assert_true(knows(path, NOW));
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "/usr/bin/%u", i);
		known += knows(path, NOW);
	}
	assert_in_range(known, 1, LATELY_ITEMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(it_is_known_again, forget),
		cmocka_unit_test_teardown(only_for_a_moment, forget),
		cmocka_unit_test_teardown(of_the_same_user_alone, forget),
		cmocka_unit_test_teardown(with_the_same_mounts_alone, forget),
		cmocka_unit_test_teardown(neither_scripts_nor_what_may_lead_elsewhere, forget),
		cmocka_unit_test_teardown(not_of_a_process_that_has_ended, forget),
		cmocka_unit_test_teardown(however_many_there_are, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
