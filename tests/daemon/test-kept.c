/* SPDX-License-Identifier: MIT */
/* Unit tests of what the daemon keeps of a start that it has learnt, and of the key of a start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/landmarks.h"
#include "headstartd/carry/carry.h"
#include "headstartd/learn/keep.h"
#include "headstartd/learn/refine.h"
#include "headstartd/users/own.h"
#include "plan/store/lock.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "profile/updates/staleness.h"
#include "tree.h"

#define PAGE   4096
#define NOBODY 65534

/* This program is also the process whose start is looked at. */
#define PIPE_OF_CHILD "TEST_PIPE"
#define USER_OF_CHILD "TEST_USER"

static char folder[64], program[96];
static const struct asked_place here = ASKED_PLACE_HERE;

static int begin(void **state)
{
	static const char content[4 * PAGE];
	_cleanup_close_ int fd = -1;
	char path[96];

	snprintf(folder, sizeof(folder), "/var/tmp/headstart-test-XXXXXX");
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
		return -1;
	snprintf(program, sizeof(program), "%s/program", folder);
	fd = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	if (fd < 0 || write_full(fd, content, sizeof(content)) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/state", folder);
	setenv("HEADSTART_STATE", path, 1);
	snprintf(path, sizeof(path), "%s/hosts", folder);
	setenv("HEADSTART_HOSTS", path, 1);
	return mkdir(path, 0755);
}

static int end(void **state)
{
	return tree_remove(folder);
}

/* A start that touched so many pages of the program. */
static struct profile start(uint32_t bias, uint32_t pages)
{
	struct profile profile = {.command = strdup(program),
		.program = strdup(program),
		.kernel = strdup("6.12"),
		.device = strdup(""),
		.milestone = strdup("idle"),
		.page_size = PAGE,
		.runs = 1,
		.bias = bias,
		.backend = PROFILE_BACKEND_FILEMAP};
	size_t file;

	assert_int_equal(profile_add_file(&profile, program, PROFILE_REGULAR, &file), 0);
	assert_int_equal(profile_file_add_range(
				 &profile.files[file], (struct profile_range){.pages = pages, .runs = 1}),
		0);
	assert_int_equal(profile_file_identify(&profile.files[file]), 0);
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

static struct kept keep_within(uint64_t most, uid_t user, const char *argument, uint64_t key)
{
	const char *const argv[] = {program, argument, NULL};
	_cleanup_(profile_releasep) struct profile profile = start(PROFILE_BIAS_LEARNT, 3);

	return keep_start(&profile, argv, &here, key, user, most);
}

static struct kept keep_both(uid_t user, const char *first, const char *second)
{
	const char *const argv[] = {program, first, second, NULL};
	_cleanup_(profile_releasep) struct profile profile = start(PROFILE_BIAS_LEARNT, 3);

	return keep_start(&profile, argv, &here, 0, user, UINT64_MAX);
}

static struct kept keep_of(uid_t user, const char *argument, uint64_t key)
{
	return keep_within(UINT64_MAX, user, argument, key);
}

static struct kept keep(const char *argument, uint64_t key)
{
	return keep_of(0, argument, key);
}

static char *stored(const char *suffix)
{
	char *path;

	assert_int_equal(store_plan_for_writing(program, suffix, &path), 0);
	return path;
}

static void a_start_is_kept_once(void **state)
{
	assert_true(keep(NULL, 0).bytes > 0);
	assert_true(keep_find(program) > 0);
	assert_int_equal(keep(NULL, 0).bytes, 0);
	keep_forget(program);
	assert_int_equal(keep_find(program), 0);
}

static bool is_stored(const char *suffix)
{
	_cleanup_free_ char *path = stored(suffix);

	return access(path, F_OK) == 0;
}

/* Otherwise one start could use up the budget of all. */
static void a_start_that_takes_too_much_is_not_kept(void **state)
{
	uint64_t bytes = keep(NULL, 0).bytes;

	assert_true(bytes > 1);
	assert_int_equal(keep_forget(program), 0);
	assert_int_equal(keep_within(bytes - 1, 0, NULL, 0).bytes, 0);
	assert_false(is_stored(STATE_PROFILE_SUFFIX));
	assert_false(is_stored(STATE_PLAN_SUFFIX));
	assert_int_equal(keep_within(bytes, 0, NULL, 0).bytes, bytes);
	assert_true(is_stored(STATE_PLAN_SUFFIX));
}

/* A daemon that was killed may have kept the profile and not made the plan, or have removed only the plan. */
static void a_plan_that_is_missing_is_made(void **state)
{
	_cleanup_free_ char *plan = stored(STATE_PLAN_SUFFIX), *profile = stored(STATE_PROFILE_SUFFIX);
	struct stat before, after;

	assert_true(keep(NULL, 0).bytes > 0);
	assert_int_equal(stat(profile, &before), 0);
	assert_int_equal(unlink(plan), 0);
	assert_true(keep(NULL, 0).bytes > 0);
	assert_int_equal(access(plan, F_OK), 0);
	assert_int_equal(stat(profile, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

/* Its starts are told apart by what the first operand is. */
static void make_host(const char *operand)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	char text[64];

	assert_true(asprintf(&path, "%s/hosts/program.conf", folder) > 0);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, text,
				 (size_t)snprintf(text, sizeof(text), "[program]\noperand = %s\n", operand)),
		0);
}

static void a_plan_of_another_start_that_is_missing_is_made(void **state)
{
	_cleanup_(profile_releasep) struct profile asked = start(PROFILE_BIAS_LEARNT, 3);
	_cleanup_free_ char *plan = NULL;
	char suffix[STATE_ASKED_SIZE];
	struct kept first, other;

	make_host("word");
	first = keep("one", 0);
	assert_true(first.bytes > 0 && first.key != 0);
	assert_int_equal(keep_describe_start(&asked, (const char *[]){program, "two", NULL}, &here), 0);
	assert_true(asked.asked != 0 && asked.asked != first.key);
	other = keep("two", asked.asked);
	assert_true(other.bytes > 0);
	assert_int_equal(other.key, asked.asked);
	state_asked_suffix(other.key, suffix);
	plan = stored(suffix);
	assert_int_equal(keep("two", other.key).bytes, 0);
	assert_int_equal(unlink(plan), 0);
	assert_true(keep("two", other.key).bytes > 0);
	assert_int_equal(access(plan, F_OK), 0);
}

static void a_first_start_of_a_host_counts_with_its_own_plan(void **state)
{
	struct kept first;

	make_host("word");
	first = keep("one", 0);
	assert_true(first.key != 0);
	assert_true(keep_size(program, first.key) > keep_size(program, 0));
	assert_int_equal(first.bytes, keep_size(program, first.key));
	assert_int_equal(keep_forget(program), 0);
	assert_int_equal(keep_within(first.bytes - 1, 0, "one", 0).bytes, 0);
	assert_false(is_stored(STATE_PROFILE_SUFFIX));
	assert_int_equal(keep_within(first.bytes, 0, "one", 0).bytes, first.bytes);
}

static void another_start_that_takes_too_much_leaves_those_before(void **state)
{
	_cleanup_(profile_releasep) struct profile asked = start(PROFILE_BIAS_LEARNT, 3);
	char suffix[STATE_ASKED_SIZE];
	uint64_t before;

	make_host("word");
	assert_true(keep("one", 0).bytes > 0);
	assert_int_equal(keep_describe_start(&asked, (const char *[]){program, "two", NULL}, &here), 0);
	before = keep_size(program, 0);
	assert_int_equal(keep_within(1, 0, "two", asked.asked).bytes, 0);
	state_asked_suffix(asked.asked, suffix);
	assert_false(is_stored(suffix));
	assert_int_equal(keep_size(program, 0), before);
	assert_true(keep("two", asked.asked).bytes > 1);
}

/* qemu-user executes itself in the place of this program. */
static void need_own_name(pid_t pid)
{
	char path[48], name[PATH_MAX] = "";
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, name, sizeof(name) - 1) > 0 && strcmp(name, program) == 0)
		return;
	print_message("this program cannot execute itself (qemu-user)\n");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	skip();
}

/* What a process tells that was started with these arguments, and is that user's. `second` may be NULL. */
static uint64_t key_of_both(uid_t user, const char *first, const char *second)
{
	struct process_seen seen = {.executed = program, .here = true, .named = true};
	struct carry_told told = {0};
	struct carry carry;
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	seen.pid = fork();
	assert_true(seen.pid >= 0);
	if (seen.pid == 0) {
		char words[2][16];

		snprintf(words[0], sizeof(words[0]), "%d", ready[1]);
		snprintf(words[1], sizeof(words[1]), "%u", user);
		setenv(PIPE_OF_CHILD, words[0], 1);
		setenv(USER_OF_CHILD, words[1], 1);
		execl("/proc/self/exe", program, first, second, NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	need_own_name(seen.pid);
	snprintf(seen.program, sizeof(seen.program), "%s", program);
	snprintf(seen.image, sizeof(seen.image), "%s", program);
	assert_int_equal(carry_init(&carry), 0);
	carry_find_key(&carry, &seen, &told);
	carry_release(&carry);
	kill(seen.pid, SIGKILL);
	waitpid(seen.pid, NULL, 0);
	return told.key;
}

static uint64_t key_of(uid_t user, const char *argument)
{
	return key_of_both(user, argument, NULL);
}

static _Noreturn void be_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setresuid((uid_t)atol(getenv(USER_OF_CHILD)), (uid_t)-1, (uid_t)-1) == 0)
		(void)!write(atoi(getenv(PIPE_OF_CHILD)), "", 1);
	for (;;)
		pause();
}

static char *make_file(const char *name, uid_t owner)
{
	_cleanup_close_ int fd = -1;
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(fchown(fd, owner, owner), 0);
	return path;
}

static void need_root_and_execution(void)
{
	if (geteuid() != 0)
		skip();
	if (getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "vgpreload")) {
		print_message("this program cannot execute itself (valgrind)\n");
		skip();
	}
}

/* The key is in the name of a plan, which everybody can list: nobody must learn by it that a file exists. Root finds any. */
static void a_file_that_users_cannot_see_is_no_key_of_theirs(void **state)
{
	_cleanup_free_ char *closed = NULL, *hidden = NULL, *seen = NULL, *theirs = NULL;

	need_root_and_execution();
	assert_true(asprintf(&closed, "%s/closed", folder) > 0);
	assert_int_equal(mkdir(closed, 0700), 0);
	hidden = make_file("closed/hidden", 0);
	seen = make_file("seen", 0);
	theirs = make_file("theirs", NOBODY);
	make_host("file");
	assert_true(keep(seen, 0).key != 0);
	assert_int_not_equal(key_of(0, seen), 0);
	assert_int_not_equal(key_of(NOBODY, seen), 0);
	assert_int_not_equal(key_of(0, hidden), 0);
	assert_int_equal(key_of(NOBODY, hidden), 0);
	assert_int_equal(key_of(0, theirs), 0);
	assert_int_equal(key_of(NOBODY, theirs), 0);
}

/* The first start of a host makes a plan of the program, whatever was asked for. */
static void a_first_start_tells_nothing_of_what_users_cannot_see(void **state)
{
	_cleanup_free_ char *closed = NULL, *hidden = NULL;

	if (geteuid() != 0)
		skip();
	assert_true(asprintf(&closed, "%s/closed-too", folder) > 0);
	assert_int_equal(mkdir(closed, 0700), 0);
	hidden = make_file("closed-too/hidden", 0);
	make_host("file");
	assert_int_equal(keep_of(NOBODY, hidden, 0).key, 0);
	assert_int_equal(keep_forget(program), 0);
	assert_true(keep_of(0, hidden, 0).key != 0);
	assert_int_equal(keep_forget(program), 0);
}

/* Others could test guesses at it, which may be code or a name of the user's. */
static void what_else_a_user_said_is_in_no_key(void **state)
{
	if (geteuid() != 0)
		skip(); /* of others, no file counts as root's */
	make_host("word\n-l = also");
	assert_int_not_equal(keep_both(0, "-l=code", "word").key, 0);
	assert_int_equal(keep_forget(program), 0);
	assert_int_equal(keep_both(NOBODY, "-l=code", "word").key, 0);
	assert_int_equal(keep_forget(program), 0);
	assert_int_not_equal(keep_both(NOBODY, "word", "-l=code").key, 0);
	need_root_and_execution();
	assert_int_not_equal(key_of(NOBODY, "another"), 0);
	assert_int_not_equal(key_of_both(0, "-l=code", "another"), 0);
	assert_int_equal(key_of_both(NOBODY, "-l=code", "another"), 0);
	assert_int_not_equal(key_of_both(NOBODY, "another", "-l=code"), 0);
}

static bool plan_names(const char *text, mode_t *ret_mode)
{
	_cleanup_free_ char *path = stored(STATE_PLAN_SUFFIX), *plan = NULL;
	struct stat st;
	size_t size;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(read_file(path, 1u << 20, &plan, &size), 0);
	*ret_mode = st.st_mode & 0777;
	return memmem(plan, size, text, strlen(text)) != NULL;
}

/* While root alone can reach the program, its plan is for root alone, and names what others cannot see. */
static void a_plan_for_everybody_names_nothing_hidden_once_the_program_can_be_reached(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_free_ char *closed = NULL, *hidden = NULL;
	const char *const argv[] = {program, NULL};
	size_t file;
	mode_t mode;

	if (geteuid() != 0)
		skip();
	assert_true(asprintf(&closed, "%s/closed", folder) > 0);
	assert_int_equal(mkdir(closed, 0700), 0);
	hidden = make_file("closed/hidden", 0);
	assert_int_equal(truncate(hidden, PAGE), 0);
	profile = start(PROFILE_BIAS_LEARNT, 3);
	assert_int_equal(profile_add_file(&profile, hidden, PROFILE_REGULAR, &file), 0);
	assert_int_equal(
		profile_file_add_range(&profile.files[file], (struct profile_range){.pages = 1, .runs = 1}),
		0);
	assert_int_equal(profile_file_identify(&profile.files[file]), 0);
	assert_int_equal(profile_finish(&profile), 0);
	assert_int_equal(chmod(folder, 0700), 0);
	assert_true(keep_start(&profile, argv, &here, 0, 0, UINT64_MAX).bytes > 0);
	assert_true(plan_names(hidden, &mode));
	assert_int_equal(mode, 0600);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(keep_make_plans(program), 0);
	assert_false(plan_names(hidden, &mode));
	assert_int_equal(mode, 0644);
	assert_true(plan_names(program, &mode));
}

/* Users who make their helpers wait, however many they are, leave places to root. */
static void users_together_leave_places_to_root(void **state)
{
	struct carry carry = {0};
	uid_t user = 1000;
	size_t taken = 0;
	struct carry_helper *place;

	for (; taken < CARRY_HELPERS && (place = carry_find_place(&carry, user)); user++, taken++)
		*place = (struct carry_helper){.pid = 1, .user = user};
	assert_in_range(taken, CARRY_HELPERS / 2, CARRY_HELPERS - 8);
	for (; (place = carry_find_place(&carry, 0)); taken++)
		*place = (struct carry_helper){.pid = 1};
	assert_int_equal(taken, CARRY_HELPERS);
}

/* One page more than what is stored. */
static struct refined refine(void)
{
	const char *const argv[] = {program, NULL};
	struct refining refining = {.program = program, .argv = argv, .place = ASKED_PLACE_HERE};
	_cleanup_(profile_releasep) struct profile seen = start(PROFILE_BIAS_LEARNT, 4);
	struct refined refined;

	assert_true(refining_load(&refining));
	refined = refining_finish(&refining, &seen, 0);
	refining_release(&refining);
	return refined;
}

/* The mark stays if the daemon is killed before the plan is made, or, as here, if that cannot be written. */
static void a_plan_that_is_not_what_is_stored_is_marked(void **state)
{
	_cleanup_free_ char *plan = stored(STATE_PLAN_SUFFIX), *in_the_way = NULL;

	if (geteuid() != 0)
		skip(); /* of others, no file counts as root's */
	assert_true(keep(NULL, 0).bytes > 0);
	assert_true(refine().better);
	assert_false(store_plan_is_stale(plan));
	assert_false(refine().changed);
	keep_forget(program);

	assert_true(keep(NULL, 0).bytes > 0);
	assert_int_equal(unlink(plan), 0);
	assert_true(asprintf(&in_the_way, "%s/folder", plan) > 0);
	assert_int_equal(mkdir(plan, 0755), 0);
	assert_int_equal(mkdir(in_the_way, 0755), 0);
	assert_false(refine().learnt);
	assert_true(store_plan_is_stale(plan));
}

/* What somebody has recorded is better, with a plan or without. */
static void a_recording_is_left_alone(void **state)
{
	_cleanup_free_ char *plan = stored(STATE_PLAN_SUFFIX), *path = stored(STATE_PROFILE_SUFFIX);
	struct recordings recordings = {0};
	struct profile recorded = start(0, 3);

	assert_int_equal(recordings_add(&recordings, &recorded), 0);
	assert_int_equal(recordings_save(&recordings, path, 0644), 0);
	recordings_release(&recordings);
	assert_int_equal(keep(NULL, 0).bytes, 0);
	assert_int_equal(access(plan, F_OK), -1);
}

/* Another process that has the turn to change what is stored, until the pipe is closed. */
static pid_t take_turn(int *ret_pipe)
{
	int ready[2], end[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(end[1]);
		if (store_lock_within(0) >= 0)
			(void)!write(ready[1], "", 1);
		(void)!read(end[0], &byte, 1);
		_exit(0);
	}
	close(ready[1]);
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_pipe = end[1];
	return child;
}

static void end_turn(pid_t child, int pipe)
{
	close(pipe);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* It has read what is stored, and will write what becomes of that: what we write in between would be lost, or what it writes. */
static void nothing_changes_in_the_turn_of_another(void **state)
{
	_cleanup_free_ char *path = stored(STATE_PROFILE_SUFFIX);
	struct stat before, after;
	pid_t other;
	int pipe;

	if (geteuid() != 0)
		skip(); /* of others, no file counts as root's */
	other = take_turn(&pipe);
	assert_int_equal(keep(NULL, 0).bytes, 0);
	assert_int_equal(access(path, F_OK), -1);
	end_turn(other, pipe);
	assert_true(keep(NULL, 0).bytes > 0);
	assert_int_equal(stat(path, &before), 0);
	other = take_turn(&pipe);
	assert_false(refine().learnt);
	keep_forget(program);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	end_turn(other, pipe);
	assert_true(refine().better);
	keep_forget(program);
	assert_int_equal(access(path, F_OK), -1);
}

/* Files of somebody who has recorded the program by sudo are in root's profile. Root neither reads them, nor asks who serves them. */
static void files_of_who_recorded_are_not_looked_at(void **state)
{
	_cleanup_free_ char *path = stored(STATE_PROFILE_SUFFIX), *theirs = NULL;
	_cleanup_close_ int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct profile recorded = start(0, 3);
	struct recordings recordings = {0};
	char event[4096];
	size_t file;

	if (geteuid() != 0)
		skip(); /* of others, no file counts as root's */
	theirs = make_file("theirs", NOBODY);
	assert_int_equal(truncate(theirs, PAGE), 0);
	assert_int_equal(profile_add_file(&recorded, theirs, PROFILE_REGULAR, &file), 0);
	assert_int_equal(
		profile_file_add_range(&recorded.files[file], (struct profile_range){.pages = 1, .runs = 1}),
		0);
	assert_int_equal(profile_file_identify(&recorded.files[file]), 0);
	assert_int_equal(profile_finish(&recorded), 0);
	assert_int_equal(recordings_add(&recordings, &recorded), 0);
	assert_int_equal(recordings_save(&recordings, path, 0644), 0);
	recordings_release(&recordings);
	assert_int_equal(keep_make_plans(program), 0);
	assert_true(inotify_add_watch(watch, theirs, IN_OPEN) >= 0);
	assert_true(refine().learnt);
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
}

struct seen {
	char program[96];
	uint64_t keys[4], bytes[4];
	size_t n;
};

static void see(void *context, const char *path, uint64_t key, uint64_t bytes)
{
	struct seen *seen = context;

	snprintf(seen->program, sizeof(seen->program), "%s", path);
	seen->keys[seen->n % 4] = key;
	seen->bytes[seen->n++ % 4] = bytes;
}

static void what_was_learnt_is_found_in_the_store(void **state)
{
	struct seen seen = {0};
	struct kept first;

	make_host("word");
	assert_int_equal(keep_each(see, &seen), 0);
	assert_int_equal(seen.n, 0);
	first = keep("one", 0);
	assert_true(first.key != 0);
	assert_int_equal(keep_each(see, &seen), 0);
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.program, program);
	assert_int_equal(seen.keys[0], 0);
	assert_int_equal(seen.keys[1], first.key);
	assert_int_equal(seen.bytes[0], keep_size(program, 0));
	assert_int_equal(seen.bytes[0] + seen.bytes[1], keep_size(program, first.key));
}

static void what_was_recorded_is_not_found(void **state)
{
	_cleanup_free_ char *path = stored(STATE_PROFILE_SUFFIX);
	struct recordings recordings = {0};
	struct profile recorded = start(0, 3);
	struct seen seen = {0};

	assert_int_equal(recordings_add(&recordings, &recorded), 0);
	assert_int_equal(recordings_save(&recordings, path, 0644), 0);
	recordings_release(&recordings);
	assert_int_equal(keep_make_plans(program), 0);
	assert_int_equal(keep_each(see, &seen), 0);
	assert_int_equal(seen.n, 0);
}

/* A user gets no more of root's recording than everybody's plan says: neither what others cannot see, nor what other starts did. */
static void a_user_is_handed_what_everybodys_plan_has(void **state)
{
	_cleanup_(profile_releasep) struct profile public = start(PROFILE_BIAS_LEARNT, 3),
						   own = start(PROFILE_BIAS_LEARNT, 1);
	char hidden[128], file[160];
	size_t index;
	int fd;

	if (geteuid() != 0)
		skip(); /* of others, no file counts as root's */
	snprintf(hidden, sizeof(hidden), "%s/hidden", folder);
	snprintf(file, sizeof(file), "%s/name", hidden);
	assert_int_equal(mkdir(hidden, 0700), 0);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(profile_add_file(&public, file, PROFILE_REGULAR, &index), 0);
	assert_int_equal(profile_file_add_range(&public.files[index],
				 (struct profile_range){.pages = 1, .order = 3, .runs = 1}),
		0);
	assert_int_equal(profile_add_exec(&public, "/bin/of-another-start", 3), 0);
	assert_int_equal(profile_set_arguments(&own, (const char *[]){program, NULL}), 0);
	assert_int_equal(profile_finish(&public), 0);
	assert_int_equal(public.n_files, 2);
	public.files[0].landmarks = calloc(1, sizeof(*public.files[0].landmarks));
	public.files[1].landmarks = calloc(1, sizeof(*public.files[1].landmarks));
	assert_int_equal(own_take_public(&public, &own), 0);
	assert_int_equal(public.n_files, 1);
	assert_string_equal(public.files[0].path, program);
	assert_null(public.files[0].landmarks);
	assert_int_equal(public.n_execs, 1);
	assert_string_equal(public.execs[0].path, program);
}

/* If the files of the other starts are gone, no plan can take the place of those that are there. */
static void of_a_start_that_is_forgotten_no_plan_stays(void **state)
{
	_cleanup_(profile_releasep) struct profile asked = start(PROFILE_BIAS_LEARNT, 3);
	char first[STATE_ASKED_SIZE], other[STATE_ASKED_SIZE];

	make_host("word");
	state_asked_suffix(keep("one", 0).key, first);
	assert_int_equal(keep_describe_start(&asked, (const char *[]){program, "two", NULL}, &here), 0);
	state_asked_suffix(keep("two", asked.asked).key, other);
	assert_true(is_stored(first) && is_stored(other));
	assert_int_equal(unlink(program), 0);
	assert_int_equal(keep_forget_start(program, asked.asked), 0);
	assert_false(is_stored(other));
	assert_true(is_stored(first));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_start_is_kept_once),
		TEST(a_start_that_takes_too_much_is_not_kept),
		TEST(another_start_that_takes_too_much_leaves_those_before),
		TEST(a_plan_that_is_missing_is_made),
		TEST(a_plan_of_another_start_that_is_missing_is_made),
		TEST(a_first_start_of_a_host_counts_with_its_own_plan),
		TEST(a_plan_that_is_not_what_is_stored_is_marked),
		TEST(a_user_is_handed_what_everybodys_plan_has),
		TEST(a_recording_is_left_alone),
		TEST(nothing_changes_in_the_turn_of_another),
		TEST(files_of_who_recorded_are_not_looked_at),
		TEST(of_a_start_that_is_forgotten_no_plan_stays),
		TEST(what_was_learnt_is_found_in_the_store),
		TEST(what_was_recorded_is_not_found),
		TEST(a_file_that_users_cannot_see_is_no_key_of_theirs),
		TEST(a_plan_for_everybody_names_nothing_hidden_once_the_program_can_be_reached),
		TEST(users_together_leave_places_to_root),
		TEST(a_first_start_tells_nothing_of_what_users_cannot_see),
		TEST(what_else_a_user_said_is_in_no_key),
	};

	if (getenv(PIPE_OF_CHILD))
		be_child();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
