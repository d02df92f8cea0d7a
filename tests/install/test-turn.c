/* SPDX-License-Identifier: MIT */
/* Unit tests of taking turns: only one process at a time has its turn, and nothing is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "setup/system/turn.h"

struct fixture {
	char above[32],
		folder[64]; /* the test has made the folder above; turn_take() makes state/install below it */
};

static int waited_on; /* the writing end of a pipe: something is written if a turn has to be waited for */

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	strcpy(fixture->above, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->above));
	snprintf(fixture->folder, sizeof(fixture->folder), "%s/state/install", fixture->above);
	*state = fixture;
	return 0;
}

/* rmdir(2) fails if the folder is not empty, so nothing may be left. */
static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(rmdir(fixture->above), 0);
	free(fixture);
	return 0;
}

static void write_letter(void)
{
	assert_int_equal(write(waited_on, "x", 1), 1);
}

static void nothing_is_left_of_a_turn(void **state)
{
	const struct fixture *fixture = *state;
	struct turn turn = TURN_NONE;

	turn_end(&turn); /* no turn was taken */
	assert_int_equal(turn_take(&turn, fixture->folder, NULL), 0);
	assert_true(turn.lock >= 0);
	turn_end(&turn);
	assert_int_equal(turn.lock, -1);
	turn_end(&turn);
}

static void a_folder_with_a_record_stays(void **state)
{
	const struct fixture *fixture = *state;
	struct turn turn = TURN_NONE;
	char record[96];

	snprintf(record, sizeof(record), "%s/record", fixture->folder);
	assert_int_equal(turn_take(&turn, fixture->folder, NULL), 0);
	assert_int_equal(mkdir(record, 0755), 0);
	turn_end(&turn);
	assert_int_equal(rmdir(record), 0);
	assert_int_equal(turn_take(&turn, fixture->folder, NULL), 0);
	turn_end(&turn);
}

static void the_second_waits_for_the_first(void **state)
{
	const struct fixture *fixture = *state;
	struct turn turn = TURN_NONE;
	int ends[2], status;
	char letter;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	waited_on = ends[1];
	assert_int_equal(turn_take(&turn, fixture->folder, NULL), 0);
	child = fork();
	if (child == 0) {
		struct turn own = TURN_NONE;
		int r;

		close(turn.lock); /* what fork(2) copies is the same lock */
		r = turn_take(&own, fixture->folder, write_letter);

		turn_end(&own);
		_exit(r < 0);
	}
	assert_int_equal(read(ends[0], &letter, 1), 1);
	turn_end(&turn); /* removes the file that the child has open, so the child needs a new one */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

static void where_there_can_be_no_lock_it_is_said(void **state)
{
	struct turn turn = TURN_NONE;

	assert_int_equal(turn_take(&turn, "/dev/null/install", NULL), -ENOTDIR);
	assert_int_equal(turn.lock, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_left_of_a_turn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_folder_with_a_record_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_second_waits_for_the_first, set_up, tear_down),
		cmocka_unit_test(where_there_can_be_no_lock_it_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
