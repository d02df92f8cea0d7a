/* SPDX-License-Identifier: MIT */
/* Unit tests of the names of opened files that are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/run/process-tree.h"
#include "base/strings.h"
#include "record/names/opens.h"
#include "tree.h"

#define FILES 40

static char folder[] = "/tmp/headstart-opens.XXXXXX";

static void add(struct opens *opens, int number)
{
	char path[64];
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "%s/%d", folder, number);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(opens_add(opens, fd, getpid(), NULL), 0);
}

static bool has(const struct opens *opens, int number)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%d", folder, number);
	for (size_t i = 0; i < opens->files.count; i++)
		if (streq(opens->files.items[i].path, path))
			return true;
	return false;
}

static int begin(void **state)
{
	snprintf(folder + sizeof(folder) - 7, 7, "XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	return tree_remove(folder);
}

#define OWNER 54321

static const struct record_file *find(const struct opens *opens, const char *path)
{
	for (size_t i = 0; i < opens->files.count; i++)
		if (streq(opens->files.items[i].path, path))
			return &opens->files.items[i];
	return NULL;
}

/* Adds the file FOLDER/NAME/file of this user, in a folder of that user. */
static const struct record_file *add_theirs(
	struct opens *opens, const char *name, uid_t user, uid_t of_folder)
{
	char path[96];
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chown(path, of_folder, of_folder), 0);
	strcat(path, "/file");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 5000), 0);
	assert_int_equal(fchown(fd, user, user), 0);
	assert_int_equal(opens_add(opens, fd, getpid(), NULL), 0);
	return find(opens, path);
}

static void of_others_files_only_one_users_are_kept_by_name(void **state)
{
	struct opens opens = OPENS_INIT;
	struct mounts mounts = {0};
	const struct record_file *file;
	struct stranger stranger;

	if (geteuid() != 0 || stranger_find_cached("/", &stranger) < 0) {
		print_message("needs root, and openat2 of Linux 5.12 (not valgrind's)\n");
		skip();
	}
	assert_int_equal(mounts_read(&mounts), 0);
	opens.careful = true;
	opens.owner = OWNER;
	opens_start_empty(&opens, &mounts);
	file = add_theirs(&opens, "roots", 0, 0);
	assert_true(file && !file->own);
	file = add_theirs(&opens, "theirs", OWNER, OWNER);
	assert_true(file && file->own && file->pages == 2);
	file = add_theirs(&opens, "theirs-in-roots", OWNER, 0);
	assert_true(file && file->own);
	assert_null(add_theirs(&opens, "roots-in-theirs", 0, OWNER));
	assert_null(add_theirs(&opens, "others", OWNER + 1, OWNER + 1));
	assert_null(add_theirs(&opens, "others-in-theirs", OWNER + 1, OWNER));
	assert_null(add_theirs(&opens, "theirs-in-others", OWNER, OWNER + 1));
	opens.owner = 0;
	assert_null(add_theirs(&opens, "nobody-asks", OWNER, OWNER));
	opens_release(&opens);
	mounts_release(&mounts);
}

static void what_was_opened_longest_ago_is_forgotten(void **state)
{
	struct opens opens = OPENS_INIT;
	struct mounts mounts = {0};

	assert_int_equal(mounts_read(&mounts), 0);
	opens_start_empty(&opens, &mounts);
	for (int i = 0; i < FILES; i++)
		add(&opens, i);
	assert_int_equal(opens_forget(&opens, FILES), 0);
	assert_int_equal(opens.files.count, FILES);
	assert_int_equal(opens_forget(&opens, FILES - 1), 0);
	assert_int_equal(opens.files.count, FILES / 2 - 1);
	for (int i = 0; i < FILES; i++)
		assert_int_equal(has(&opens, i), i > FILES / 2);
	add(&opens, FILES - 1); /* known */
	assert_int_equal(opens.files.count, FILES / 2 - 1);
	add(&opens, 0);
	assert_int_equal(opens.files.count, FILES / 2);
	assert_true(has(&opens, 0));
	opens_release(&opens);
	mounts_release(&mounts);
}

/* Whoever opens files without end must not fill the recorder's memory. */
static void what_is_noted_is_bounded(void **state)
{
	struct opens opens = OPENS_INIT;
	struct mounts mounts = {0};

	assert_int_equal(mounts_read(&mounts), 0);
	opens_start_empty(&opens, &mounts);
	opens.bounded = true;
	add(&opens, 0);
	assert_true(opens.noted > sizeof(struct record_file) + strlen(folder));
	assert_false(opens.lost);
	opens.noted += OPENS_NOTED_MAX - 2 * opens.noted; /* by others: there is room for one more */
	add(&opens, 1);
	assert_int_equal(opens.files.count, 2);
	assert_false(opens.lost);
	add(&opens, 2);
	add(&opens, 3);
	assert_int_equal(opens.files.count, 2);
	assert_true(opens.lost);
	add(&opens, 1); /* known */
	assert_int_equal(opens.files.count, 2);
	assert_int_equal(opens_forget(&opens, FILES), 0); /* makes room */
	assert_int_equal(opens.files.count, 1);
	add(&opens, 2);
	assert_true(has(&opens, 1) && has(&opens, 2));
	opens_release(&opens);
	mounts_release(&mounts);
}

/* It ends with us, also if a test fails. */
static pid_t start_process(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

/* Where events have other numbers of processes, strangers are not taken for the command. */
static void only_processes_below_us_are_the_commands(void **state)
{
	struct opens opens = OPENS_INIT;
	struct mounts mounts = {0};
	char path[64];
	_cleanup_close_ int fd = -1;
	pid_t server = start_process(),
	      command; /* who is there before the tree begins does not belong to it */

	if (process_tree_begin() == -EINVAL) {
		print_message("this program cannot become a child subreaper (qemu-user)\n");
		kill(server, SIGKILL);
		skip();
	}
	command = start_process();
	assert_int_equal(mounts_read(&mounts), 0);
	opens.mounts = &mounts;
	opens.by_parents = true;
	snprintf(path, sizeof(path), "%s/file", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(opens_add(&opens, fd, i ? server : getppid(), NULL), 0);
		assert_false(find(&opens, path)->by_tree);
	}
	assert_int_equal(opens_add(&opens, fd, command, NULL), 0);
	assert_true(find(&opens, path)->by_tree);
	kill(command, SIGKILL);
	kill(server, SIGKILL);
	while (wait(NULL) > 0)
		;
	opens_release(&opens);
	mounts_release(&mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_opened_longest_ago_is_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(what_is_noted_is_bounded, begin, end),
		cmocka_unit_test_setup_teardown(only_processes_below_us_are_the_commands, begin, end),
		cmocka_unit_test_setup_teardown(of_others_files_only_one_users_are_kept_by_name, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
