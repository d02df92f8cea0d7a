/* SPDX-License-Identifier: MIT */
/* Tests of looking at processes through /proc: what they map and read, what they execute, and that strangers are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/follow/sampler.h"

#define NOBODY 65534
#define PAGES  256

static size_t page_size;
static char path[] = "/var/tmp/headstart-sampler.XXXXXX";

struct fixture {
	struct mounts mounts;
	struct opens opens;
	struct record_trace trace;
	struct sampler *sampler;
	ino_t inode;
	pid_t child;
	int told[2], hold[2];
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct stat status;
	int fd;

	assert_non_null(fixture);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	snprintf(path + sizeof(path) - 7, 7, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0 && ftruncate(fd, (off_t)(PAGES * page_size)) == 0 && fstat(fd, &status) == 0);
	close(fd);
	fixture->inode = status.st_ino;
	fixture->opens = (struct opens)OPENS_INIT;
	assert_int_equal(mounts_read(&fixture->mounts), 0);
	opens_start_empty(&fixture->opens, &fixture->mounts);
	assert_true(pipe(fixture->told) == 0 && pipe(fixture->hold) == 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	if (fixture->child > 0) {
		kill(fixture->child, SIGKILL);
		waitpid(fixture->child, NULL, 0);
	}
	for (int i = 0; i < 2; i++) {
		close(fixture->told[i]);
		close(fixture->hold[i]);
	}
	sampler_free(fixture->sampler);
	opens_release(&fixture->opens);
	mounts_release(&fixture->mounts);
	record_trace_release(&fixture->trace);
	free(fixture);
	return unlink(path);
}

static const char *executed = "/bin/sleep";

/* Forks a child that does something with the file, tells that, and goes on when it is told to. */
static void start(struct fixture *fixture, void (*act)(void))
{
	const struct sampler_options options = {.opens = &fixture->opens, .trace = &fixture->trace};
	struct sampler_options chosen = options;
	char byte;

	fixture->child = fork();
	if (fixture->child == 0) {
		act();
		if (write(fixture->told[1], "", 1) != 1 || read(fixture->hold[0], &byte, 1) != 1)
			_exit(1);
		execl(executed, "sleep", "1000", NULL);
		_exit(1);
	}
	assert_int_equal(read(fixture->told[0], &byte, 1), 1);
	chosen.top = fixture->child;
	assert_int_equal(sampler_new(&chosen, &fixture->sampler), 0);
	assert_int_equal(sampler_look(fixture->sampler), 0);
}

static bool has_page(const struct fixture *fixture, uint32_t page)
{
	for (size_t i = 0; i < fixture->trace.n_events; i++) {
		const struct record_event *event = &fixture->trace.events[i];

		if (event->inode == fixture->inode && event->first <= page && page <= event->last)
			return true;
	}
	return false;
}

/* A mapping of the file that was not touched yet: a child does so after the fork. */
static volatile char *untouched;

static void map_file(void)
{
	int fd = open(path, O_RDONLY);

	untouched = mmap(NULL, PAGES * page_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (untouched == MAP_FAILED || madvise((void *)untouched, PAGES * page_size, MADV_RANDOM) < 0)
		_exit(1);
}

static void touch_page(void)
{
	map_file();
	(void)untouched[100 * page_size];
}

static void touch_in_child(void)
{
	int told[2];
	char byte;

	map_file();
	if (pipe(told) < 0)
		_exit(1);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)untouched[100 * page_size];
		if (write(told[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	if (read(told[0], &byte, 1) != 1)
		_exit(1);
}

static void read_pages(void)
{
	static char buffer[5 * 65536];

	if (read(open(path, O_RDONLY), buffer, 5 * page_size) != (ssize_t)(5 * page_size))
		_exit(1);
}

static void open_to_write(void)
{
	static char buffer[65536];

	if (read(open(path, O_RDWR), buffer, page_size) != (ssize_t)page_size)
		_exit(1);
}

static void needs_disk(struct fixture *fixture)
{
	int fd = open(path, O_PATH);
	int r = opens_on_disk(&fixture->opens, fd, getpid());

	close(fd);
	if (r == 0)
		skip(); /* /var/tmp lies in memory */
}

static void mapped_page_is_seen(void **state)
{
	needs_disk(*state);
	start(*state, touch_page);
	assert_true(has_page(*state, 100));
	assert_false(has_page(*state, 200));
}

static void page_of_a_child_is_seen(void **state)
{
	needs_disk(*state);
	start(*state, touch_in_child);
	assert_true(has_page(*state, 100));
}

static void pages_that_were_read_are_seen(void **state)
{
	needs_disk(*state);
	start(*state, read_pages);
	for (uint32_t page = 0; page < 5; page++)
		assert_true(has_page(*state, page));
	assert_false(has_page(*state, 5));
}

static void file_that_is_open_to_write_is_not_read(void **state)
{
	needs_disk(*state);
	start(*state, open_to_write);
	assert_false(has_page(*state, 0));
}

static void program_is_noted_once(void **state)
{
	struct fixture *fixture = *state;
	size_t before;

	start(fixture, read_pages);
	before = fixture->trace.n_execs;
	assert_int_equal(write(fixture->hold[1], "", 1), 1);
	while (fixture->trace.n_execs == before)
		assert_int_equal(sampler_look(fixture->sampler), 0);
	assert_int_equal(sampler_look(fixture->sampler), 0);
	assert_int_equal(fixture->trace.n_execs, before + 1);
	assert_non_null(strstr(fixture->trace.execs[before].path, "bin/"));
	assert_int_equal(fixture->trace.execs[before].pid, fixture->child);
}

/* There is no name under which it could be planned: what its link in /proc says then is no path. */
static void program_that_removes_itself_is_not_noted(void **state)
{
	struct fixture *fixture = *state;
	char copy[] = "/tmp/headstart-sampler.XXXXXX", link[64], runs[PATH_MAX] = "";
	int from = open("/bin/sleep", O_RDONLY | O_CLOEXEC), to = mkostemp(copy, O_CLOEXEC);
	size_t before;

	assert_true(from >= 0 && to >= 0);
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	assert_int_equal(fchmod(to, 0755), 0);
	close(from);
	close(to);
	executed = copy;
	start(fixture, read_pages);
	executed = "/bin/sleep";
	before = fixture->trace.n_execs;
	assert_int_equal(write(fixture->hold[1], "", 1), 1);
	snprintf(link, sizeof(link), "/proc/%d/exe", fixture->child);
	while (strcmp(runs, copy) != 0) {
		ssize_t n = readlink(link, runs, sizeof(runs) - 1);

		assert_true(n > 0);
		runs[n] = '\0';
	}
	assert_int_equal(unlink(copy), 0);
	assert_int_equal(sampler_look(fixture->sampler), 0);
	assert_int_equal(fixture->trace.n_execs, before);
}

static void looks_after_the_end_find_nothing(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, read_pages);
	kill(fixture->child, SIGKILL);
	waitpid(fixture->child, NULL, 0);
	fixture->child = 0;
	assert_int_equal(sampler_look(fixture->sampler), 0);
	/* Its number may be somebody else's from now on. */
	assert_int_equal(sampler_look(fixture->sampler), 0);
}

static void hide(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void process_that_may_not_be_looked_into_is_counted(void **state)
{
	struct fixture *fixture = *state;
	const uid_t user = geteuid();
	struct follow_summary summary;

	if (user == 0)
		assert_int_equal(seteuid(NOBODY), 0); /* root may */
	start(fixture, hide);
	sampler_summarize(fixture->sampler, &summary);
	assert_int_equal(seteuid(user), 0);
	assert_int_equal(summary.processes_unseen, 1);
}

static void expected_program_has_its_first_page(void **state)
{
	struct fixture *fixture = *state;

	needs_disk(fixture);
	start(fixture, hide);
	assert_int_equal(sampler_expect(fixture->sampler, path, getpid(), true), 0);
	assert_true(has_page(fixture, 0));
	assert_int_equal(sampler_expect(fixture->sampler, "/nonexistent", getpid(), true), 0);
}

int main(void)
{
#define SAMPLER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		SAMPLER(mapped_page_is_seen),
		SAMPLER(page_of_a_child_is_seen),
		SAMPLER(pages_that_were_read_are_seen),
		SAMPLER(file_that_is_open_to_write_is_not_read),
		SAMPLER(program_is_noted_once),
		SAMPLER(program_that_removes_itself_is_not_noted),
		SAMPLER(looks_after_the_end_find_nothing),
		SAMPLER(process_that_may_not_be_looked_into_is_counted),
		SAMPLER(expected_program_has_its_first_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
