/* SPDX-License-Identifier: MIT */
/* The shim's cold probe of an object that ld.so has mapped, and relaid files. The kernel calls are real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "plan/resident.h"
#include "relaid-file.h"
#include "undisturbed.h"

#define PROBE (ORIGINAL / 2) /* where an ordinary file is probed */

int shim_open_regular(int path_fd); /* core/shim.h, whose kernel headers do not go together with libc's */

int shim_open_regular(int path_fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * An answer that comes late counts as none, as it must where a page arrives while it is asked for. Where all pages are there the
 * clock stands: any answer may be late on a busy machine, and under valgrind all are.
 */
static bool clock_stands;

int64_t now_us(void)
{
	struct timespec now = {0};

	if (!clock_stands)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Makes such a file of which this is resident, and asks. Skips where the file system cannot tell. */
static enum resident ask(const struct relaid *image, const struct relaid_part *part, bool *ret_relaid)
{
	char path[] = "/tmp/headstart-resident.XXXXXX";
	int fd = write_file(path, image, sizeof(*image));
	bool told = drop(fd);
	enum resident resident = RESIDENT_UNKNOWN;

	if (told) {
		make_resident(fd, part);
		clock_stands = part->warm;
		resident = resident_object(path, PROBE, ret_relaid);
	}
	unlink(path);
	close(fd);
	if (!told)
		skip();
	return resident;
}

static void relaid_file_is_warm_if_all_of_its_hot_region_is(void **state)
{
	for (size_t i = 0; i < sizeof(relaid_parts) / sizeof(*relaid_parts); i++) {
		bool relaid = false;

		assert_int_equal(ask(&good, &relaid_parts[i], &relaid),
			relaid_parts[i].warm ? RESIDENT_YES : RESIDENT_NO);
		assert_true(relaid);
	}
}

static void ordinary_file_is_probed_where_asked(void **state)
{
	const struct relaid_part there = {PROBE, PAGE, true}, elsewhere = {0, PAGE, false};
	struct relaid *image = malloc(sizeof(*image));
	bool relaid = true;

	assert_non_null(image);
	*image = good;
	image->note.name[0] = 'x';
	assert_int_equal(ask(image, &there, &relaid), RESIDENT_YES);
	assert_false(relaid);
	assert_int_equal(ask(image, &elsewhere, &relaid), RESIDENT_NO);
	free(image);
}

static void small_hot_region_shows_nothing(void **state)
{
	struct relaid *image = malloc(sizeof(*image));
	bool relaid = false;

	assert_non_null(image);
	*image = good;
	image->note.relaid.hot_size = LE64(64 * PAGE - 1);
	assert_int_equal(ask(image, &relaid_parts[0], &relaid), RESIDENT_UNKNOWN);
	assert_true(relaid);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relaid_file_is_warm_if_all_of_its_hot_region_is),
		cmocka_unit_test(ordinary_file_is_probed_where_asked),
		cmocka_unit_test(small_hot_region_shows_nothing),
	};

	return until_undisturbed(tests, sizeof(tests) / sizeof(*tests));
}
