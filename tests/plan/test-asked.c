/* SPDX-License-Identifier: MIT */
/* Unit tests of format/asked.h: which starts have the same key, and which have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/state-folder.h"
#include "plan/asked/asked.h"
#include "plan/asked/guess.h"
#include "tree.h"

#define PYTHON "operand=file -c=text -m=word -W=skip joined"
#define JAVA   "operand=word -jar=file -cp=also --class-path=also -m=word"
#define SHELL  "operand=file -c=operand -o=skip joined"
#define GIT    "operand=word near=.git -C=in -c=skip --git-dir=never"
#define RUBY   "operand=file -e=text -C=in joined"
#define ENV    "operand=command assignments -u=skip -C=in joined"

static char folder[] = "/tmp/headstart-asked.XXXXXX";

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	mkdir("one", 0755);
	mkdir("one/.git", 0755);
	mkdir("one/deep", 0755);
	mkdir("two", 0755);
	mkdir("two/.git", 0755);
	make_file("a.py");
	make_file("b.py");
	make_file("one/a.py");
	return symlink("a.py", "link.py");
}

static int remove_folder(void **state)
{
	return chdir("/") < 0 ? -1 : tree_remove(folder);
}

/* The key of PROGRAM ARGUMENT…, 0 if it has none. */
#define KEY(rule, ...) key_of(rule, (const char *[]){"program", __VA_ARGS__, NULL})

static uint64_t key_of(const char *rule, const char *const *argv)
{
	struct asked asked;
	bool known = asked_by_arguments(rule, argv, AT_FDCWD, &asked);

	assert_int_equal(known, asked.key != 0);
	return asked.key;
}

#define SAME(a, b)                                                                                           \
	do {                                                                                                 \
		assert_true((a) != 0);                                                                       \
		assert_true((a) == (b));                                                                     \
	} while (0)
#define DIFFER(a, b) assert_true((a) != (b))

static void a_script_counts_by_its_canonical_path(void **state)
{
	uint64_t a = KEY(PYTHON, "a.py");

	SAME(a, KEY(PYTHON, "./a.py"));
	SAME(a, KEY(PYTHON, "link.py"));
	SAME(a, KEY(PYTHON, "one/../a.py", "argument", "-c", "b.py"));
	DIFFER(a, KEY(PYTHON, "b.py"));
	DIFFER(a, KEY(PYTHON, "one/a.py"));
	assert_int_equal(KEY(PYTHON, "missing.py"), 0);
}

static void options_before_it_do_not_count_but_their_values_are_known(void **state)
{
	uint64_t a = KEY(PYTHON, "a.py");

	SAME(a, KEY(PYTHON, "-v", "a.py"));
	SAME(a, KEY(PYTHON, "-W", "b.py", "a.py"));
	SAME(a, KEY(PYTHON, "-Wb.py", "a.py"));
	SAME(a, KEY(PYTHON, "-vW", "b.py", "a.py"));
	SAME(a, KEY(PYTHON, "--", "a.py"));
	assert_int_equal(KEY(PYTHON, "-"), 0);
	assert_int_equal(KEY(PYTHON, "--", "-v"), 0); /* a script of that name, which is not there */
}

static void code_and_modules_count_as_they_are(void **state)
{
	uint64_t code = KEY(PYTHON, "-c", "pass");

	SAME(code, KEY(PYTHON, "-cpass", "a.py"));
	SAME(code, KEY(PYTHON, "-v", "-Bc", "pass"));
	DIFFER(code, KEY(PYTHON, "-c", "pass "));
	DIFFER(code, KEY(PYTHON, "-m", "pass"));
	SAME(KEY(PYTHON, "-m", "json.tool", "a.py"), KEY(PYTHON, "-m", "json.tool", "b.py"));
	DIFFER(KEY(PYTHON, "-m", "json.tool"), KEY(PYTHON, "-m", "json"));
}

static void without_anything_asked_for_all_arguments_count(void **state)
{
	uint64_t none = key_of(PYTHON, (const char *[]){"program", NULL});

	assert_true(none != 0);
	DIFFER(none, KEY(PYTHON, "-V"));
	DIFFER(KEY(PYTHON, "-v"), KEY(PYTHON, "-V"));
	SAME(none, key_of(PYTHON, (const char *[]){"another", NULL}));
	DIFFER(KEY(PYTHON, "-c"), KEY(PYTHON, "-m"));
}

/* Texts of any length count in full, up to the most that is read. */
static void long_arguments_count_whole(void **state)
{
	char one[ASKED_BYTES_MAX + 1], other[ASKED_BYTES_MAX + 1];

	for (size_t length = ASKED_TEXT_SIZE - 3; length < 3 * ASKED_TEXT_SIZE; length++) {
		memset(one, 'x', length);
		one[length] = '\0';
		strcpy(other, one);
		SAME(KEY(PYTHON, "-c", one), KEY(PYTHON, "-c", other));
		other[length - 1] = 'y';
		DIFFER(KEY(PYTHON, "-c", one), KEY(PYTHON, "-c", other));
		other[length - 1] = '\0';
		DIFFER(KEY(PYTHON, "-c", one), KEY(PYTHON, "-c", other));
	}
	memset(one, 'x', ASKED_BYTES_MAX);
	one[ASKED_BYTES_MAX] = '\0';
	assert_int_equal(KEY(PYTHON, "-c", one), 0);
	assert_int_equal(KEY(PYTHON, one), 0);
}

static void too_many_arguments_have_no_key(void **state)
{
	const char *argv[ASKED_ARGUMENTS_MAX + 3] = {"program"};

	for (size_t i = 1; i <= ASKED_ARGUMENTS_MAX; i++)
		argv[i] = "-v";
	argv[ASKED_ARGUMENTS_MAX + 1] = "a.py";
	assert_int_equal(key_of(PYTHON, argv), 0);
	assert_int_equal(key_of(ASKED_RULE_ALL, argv), 0);
	argv[ASKED_ARGUMENTS_MAX - 1] = "a.py";
	assert_true(key_of(PYTHON, argv) != 0);
}

static void also_adds_to_what_is_asked_for(void **state)
{
	SAME(KEY(JAVA, "-cp", "x.jar", "Main"), KEY(JAVA, "-Xmx1g", "-cp", "x.jar", "Main", "y"));
	DIFFER(KEY(JAVA, "-cp", "x.jar", "Main"), KEY(JAVA, "-cp", "y.jar", "Main"));
	DIFFER(KEY(JAVA, "-cp", "x.jar", "Main"), KEY(JAVA, "Main"));
	SAME(KEY(JAVA, "--class-path=x", "Main"), KEY(JAVA, "--class-path=x", "-ea", "Main"));
	DIFFER(KEY(JAVA, "--class-path=x", "Main"), KEY(JAVA, "--class-path=y", "Main"));
	SAME(KEY(JAVA, "-jar", "a.py"), KEY(JAVA, "-ea", "-jar", "link.py", "Main"));
	/* without `joined`, -jar is no -j */
	DIFFER(KEY(JAVA, "-jar", "a.py"), KEY(JAVA, "-ja", "a.py"));
}

static void an_option_without_value_makes_the_operand_a_text(void **state)
{
	uint64_t code = KEY(SHELL, "-c", "exit 3");

	SAME(code, KEY(SHELL, "-ec", "exit 3", "name"));
	SAME(code, KEY(SHELL, "-ce", "exit 3"));
	SAME(code, KEY(SHELL, "-c", "-e", "exit 3"));
	SAME(code, KEY(SHELL, "-o", "pipefail", "-c", "exit 3"));
	SAME(code, KEY(SHELL, "-euo", "pipefail", "-c", "exit 3"));
	DIFFER(code, KEY(SHELL, "-c", "exit 4"));
	SAME(KEY(SHELL, "a.py"), KEY(SHELL, "-e", "a.py", "-c"));
	DIFFER(KEY(SHELL, "a.py"), KEY(SHELL, "-c", "a.py"));
}

static void a_subcommand_counts_with_the_folder_above_it(void **state)
{
	uint64_t log = KEY(GIT, "-C", "one", "log");

	SAME(log, KEY(GIT, "-C", "one/deep", "log", "-p"));
	SAME(log, KEY(GIT, "-C", "two", "-C", "../one", "-c", "a=b", "log"));
	DIFFER(log, KEY(GIT, "-C", "two", "log"));
	DIFFER(log, KEY(GIT, "-C", "one", "status"));
	assert_int_equal(KEY(GIT, "log"), 0); /* here is no repository */
	assert_int_equal(KEY(GIT, "-C", "missing", "log"), 0);
	assert_int_equal(KEY(GIT, "-C", "one", "--git-dir", "x", "log"), 0);
	assert_int_equal(KEY(GIT, "-C", "one", "--git-dir=x", "log"), 0);
	assert_int_equal(chdir("one"), 0);
	SAME(log, KEY(GIT, "log"));
	assert_int_equal(chdir("deep"), 0);
	SAME(log, KEY(GIT, "log"));
	assert_int_equal(chdir(folder), 0);
}

static void a_command_counts_with_all_its_arguments_and_the_folder(void **state)
{
	uint64_t command = KEY(ENV, "python3", "a.py", "b");

	SAME(command, KEY(ENV, "-u", "X", "A=b", "python3", "a.py", "b"));
	DIFFER(command, KEY(ENV, "python3", "a.py"));
	DIFFER(command, KEY(ENV, "python3", "a.py", "c"));
	DIFFER(command, KEY(ENV, "python3", "a.py b"));
	DIFFER(command, KEY(ENV, "-C", "one", "python3", "a.py", "b"));
}

static void documents_of_a_host_do_not_count(void **state)
{
	static const char rule[] = "operand=skip -l=file";
	uint64_t none = key_of(rule, (const char *[]){"editor", NULL});

	SAME(none, KEY(rule, "a.py"));
	SAME(none, KEY(rule, "missing", "one/a.py"));
	DIFFER(none, KEY(rule, "-q", "a.py"));
	SAME(KEY(rule, "-q", "a.py"), KEY(rule, "b.py", "-q"));
	SAME(KEY(rule, "-q", "-l", "a.py"), KEY(rule, "b.py", "-l", "link.py", "x"));
	DIFFER(KEY(rule, "-l", "a.py"), KEY(rule, "-l", "b.py"));
}

static void another_name_is_what_the_program_is_asked_for(void **state)
{
	static const char rule[] = "called=busybox operand=word";

	SAME(key_of(rule, (const char *[]){"/bin/ls", NULL}),
		key_of(rule, (const char *[]){"ls", "-l", NULL}));
	DIFFER(key_of(rule, (const char *[]){"ls", NULL}), key_of(rule, (const char *[]){"cat", NULL}));
	SAME(key_of(rule, (const char *[]){"busybox", "ls", NULL}),
		key_of(rule, (const char *[]){"/bin/busybox", "ls", "x", NULL}));
	DIFFER(key_of(rule, (const char *[]){"busybox", "ls", NULL}),
		key_of(rule, (const char *[]){"busyboxes", "ls", NULL}));
}

static void other_programs_count_documents_by_their_suffix(void **state)
{
	SAME(KEY(ASKED_RULE_ALL, "a.odt"), KEY(ASKED_RULE_ALL, "/home/ann/some letter.odt"));
	DIFFER(KEY(ASKED_RULE_ALL, "a.odt"), KEY(ASKED_RULE_ALL, "a.ods"));
	DIFFER(KEY(ASKED_RULE_ALL, "a.odt"), KEY(ASKED_RULE_ALL, "-a.odt"));
	DIFFER(KEY(ASKED_RULE_ALL, "--one"), KEY(ASKED_RULE_ALL, "--two"));
	DIFFER(KEY(ASKED_RULE_ALL, "one", "two"), KEY(ASKED_RULE_ALL, "onetwo"));
	DIFFER(KEY(ASKED_RULE_ALL, "folder.d/one"), KEY(ASKED_RULE_ALL, "folder.d/two"));
	DIFFER(KEY(ASKED_RULE_ALL, ".hidden"), KEY(ASKED_RULE_ALL, ".other"));
	DIFFER(KEY(ASKED_RULE_ALL, "get", "pods"), key_of(ASKED_RULE_ALL, (const char *[]){"get", NULL}));
}

static void what_the_caller_learns(void **state)
{
	struct asked asked;
	char *canonical = realpath("a.py", NULL);

	assert_true(asked_by_arguments(
		PYTHON, (const char *[]){"p", "-v", "link.py", "b.py", NULL}, AT_FDCWD, &asked));
	assert_int_equal(asked.number, 2);
	assert_int_equal(asked.role, 'f');
	assert_string_equal(asked.text, canonical);
	free(canonical);
	canonical = realpath("one", NULL);
	assert_true(asked_by_arguments(
		GIT, (const char *[]){"git", "-C", "one/deep", "log", NULL}, AT_FDCWD, &asked));
	assert_int_equal(asked.number, 3);
	assert_string_equal(asked.text, canonical);
	free(canonical);
	assert_true(asked_by_arguments(PYTHON, (const char *[]){"p", "-c", "x", NULL}, AT_FDCWD, &asked));
	assert_string_equal(asked.text, "");
	assert_false(asked.also);
	assert_true(asked_by_arguments(
		JAVA, (const char *[]){"p", "-cp", "x.jar", "-jar", "a.py", NULL}, AT_FDCWD, &asked));
	assert_true(asked.also);
	assert_true(asked_by_arguments(
		JAVA, (const char *[]){"p", "-jar", "a.py", "-cp", "x.jar", NULL}, AT_FDCWD, &asked));
	assert_false(asked.also);
	assert_false(asked_by_arguments(PYTHON, (const char *[]){"p", "none", NULL}, AT_FDCWD, &asked));
	assert_string_equal(asked.text, "");
}

static uint64_t guess(const char *rule, const char *const *argv)
{
	struct asked asked;
	bool known = asked_guess(rule, argv, &asked);

	assert_int_equal(known, asked.key != 0);
	return asked.key;
}
#define GUESS(rule, ...) guess(rule, (const char *[]){"program", __VA_ARGS__, NULL})

static void a_guess_is_right_where_nothing_is_a_link(void **state)
{
	char *canonical = realpath("one/a.py", NULL);

	SAME(KEY(PYTHON, "a.py"), GUESS(PYTHON, "a.py"));
	SAME(KEY(PYTHON, "one/a.py"), GUESS(PYTHON, "-v", ".//one/./a.py", "argument"));
	SAME(KEY(PYTHON, "one/a.py"), GUESS(PYTHON, canonical));
	SAME(KEY(PYTHON, "-c", "x"), GUESS(PYTHON, "-c", "x"));
	SAME(KEY(GIT, "-C", "one", "log"), GUESS(GIT, "-C", "one/", "log"));
	free(canonical);
}

static void what_only_the_disk_knows_is_guessed_wrong_or_not_at_all(void **state)
{
	char deep[2 * ASKED_TEXT_SIZE];

	DIFFER(KEY(PYTHON, "link.py"), GUESS(PYTHON, "link.py"));
	DIFFER(KEY(GIT, "-C", "one/deep", "log"), GUESS(GIT, "-C", "one/deep", "log"));
	assert_int_equal(GUESS(PYTHON, "one/../a.py"), 0);
	assert_int_equal(GUESS(PYTHON, ".."), 0);
	assert_true(GUESS(PYTHON, "...") != 0);
	assert_true(GUESS(PYTHON, "/") != 0);
	memset(deep, 'd', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_int_equal(GUESS(PYTHON, deep), 0);
	for (size_t i = 0; i < sizeof(deep) - 1; i += 2)
		deep[i] = '/';
	for (size_t length = 1; length < sizeof(deep); length++) { /* none writes beyond its room */
		char text[sizeof(deep)];

		memcpy(text, deep, length);
		text[length] = '\0';
		(void)GUESS(PYTHON, text);
		(void)GUESS(GIT, "-C", text, "log");
	}
}

/* The folder is the root of the process, as that of a container. */
static void a_path_is_found_below_the_root_of_its_process(void **state)
{
	_cleanup_close_ int root = -1, folder_one = -1;
	_cleanup_free_ char *outer = NULL, *inner = NULL;
	struct asked_place place;
	struct asked asked;

	if (syscall(SYS_openat2, AT_FDCWD, ".", NULL, (size_t)0) < 0 && errno == ENOSYS) {
		print_message("no openat2 (valgrind, qemu-user)\n");
		skip(); /* does not come back */
	}
	root = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	folder_one = open("one", O_PATH | O_DIRECTORY | O_CLOEXEC);
	outer = realpath("a.py", NULL);
	inner = realpath("one/a.py", NULL);
	place = (struct asked_place){.folder = folder_one, .root = root};
	assert_true(asked_by_arguments_at(PYTHON, (const char *[]){"p", "/a.py", NULL}, &place, &asked));
	assert_string_equal(asked.text, outer);
	assert_true(asked_by_arguments_at(PYTHON, (const char *[]){"p", "a.py", NULL}, &place, &asked));
	assert_string_equal(asked.text, inner);
	assert_true(asked_by_arguments_at(PYTHON, (const char *[]){"p", "../a.py", NULL}, &place, &asked));
	assert_string_equal(asked.text, outer);
	/* Nothing leads out of it. */
	assert_true(asked_by_arguments_at(
		PYTHON, (const char *[]){"p", "../../../../../a.py", NULL}, &place, &asked));
	assert_string_equal(asked.text, outer);
	assert_false(asked_by_arguments_at(PYTHON, (const char *[]){"p", outer, NULL}, &place, &asked));
	assert_false(asked_by_arguments_at(PYTHON, (const char *[]){"p", "/none.py", NULL}, &place, &asked));
}

/* As when the daemon looks for what a user's start asks for. */
static void what_the_user_cannot_see_counts_as_missing(void **state)
{
	_cleanup_free_ char *whole = realpath("a.py", NULL);
	const char *const enters[] = {"p", "-C", "one", whole, NULL},
			  *const names[] = {"p", "one/a.py", NULL};
	struct asked_place place = {.folder = AT_FDCWD, .root = -1, .viewer = geteuid() + 1};
	struct asked asked;

	assert_int_equal(chmod(folder, 0755), 0);
	assert_true(asked_by_arguments_at(RUBY, enters, &place, &asked));
	assert_true(asked_by_arguments_at(RUBY, names, &place, &asked));
	assert_int_equal(chmod("one", 0700), 0);
	assert_false(asked_by_arguments_at(RUBY, names, &place, &asked));
	assert_int_equal(chmod(folder, 0700), 0);
	assert_false(asked_by_arguments_at(RUBY, enters, &place, &asked));
	place.viewer = geteuid(); /* the owner */
	if (place.viewer != 0)
		assert_true(asked_by_arguments_at(RUBY, enters, &place, &asked));
	assert_int_equal(chmod("one", 0755), 0);
}

static uint64_t key_at(const struct asked_place *place, const char *path)
{
	struct asked asked;

	(void)asked_by_arguments_at(PYTHON, (const char *[]){"p", path, NULL}, place, &asked);
	return asked.key;
}

/* Otherwise the key of a file that everybody can see would show that there is something else, which the path passes. */
static void a_path_leads_no_farther_than_the_user_can_see(void **state)
{
	const struct asked_place place = {.folder = AT_FDCWD, .root = -1, .viewer = geteuid() + 1};
	static const char *const through[] = {"one/../a.py", "one/deep/../../a.py", "roundabout",
		"one/./../link.py"},
				 *const nowhere[] = {"", "a.py/", "a.py/../b.py", "none/../a.py", "endless"};
	_cleanup_free_ char *whole = realpath("a.py", NULL), *absolute = NULL;
	uint64_t a = KEY(PYTHON, "a.py");

	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(symlink("one/../a.py", "roundabout"), 0);
	assert_int_equal(symlink(whole, "absolute"), 0);
	assert_int_equal(symlink("endless", "endless"), 0);
	assert_true(asprintf(&absolute, "/../..%s", whole) > 0);
	SAME(a, key_at(&place, whole));
	SAME(a, key_at(&place, absolute));
	for (size_t i = 0; i < sizeof(through) / sizeof(*through); i++)
		SAME(a, key_at(&place, through[i]));
	for (mode_t mode = 0700; mode <= 0711; mode += 011) { /* neither entered nor listed; not listed */
		assert_int_equal(chmod("one", mode), 0);
		for (size_t i = 0; i < sizeof(through) / sizeof(*through); i++)
			assert_int_equal(key_at(&place, through[i]), 0);
	}
	assert_int_equal(chmod("one", 0755), 0);
	SAME(a, key_at(&place, "a.py"));
	SAME(a, key_at(&place, "link.py"));
	SAME(a, key_at(&place, "absolute"));
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		assert_int_equal(key_at(&place, nowhere[i]), 0);
}

/* Root can follow all links in /proc, and see all processes. */
static void nothing_is_found_by_way_of_other_processes(void **state)
{
	const struct asked_place place = {.folder = AT_FDCWD, .root = -1, .viewer = geteuid() + 1};
	_cleanup_close_ int fd = open("a.py", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *whole = realpath("a.py", NULL);
	char path[2 * PATH_MAX];

	assert_int_equal(chmod(folder, 0755), 0);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	SAME(KEY(PYTHON, path), KEY(PYTHON, "a.py"));
	assert_int_equal(key_at(&place, path), 0);
	snprintf(path, sizeof(path), "/proc/%d/cwd/a.py", (int)getpid());
	SAME(KEY(PYTHON, path), KEY(PYTHON, "a.py"));
	assert_int_equal(key_at(&place, path), 0);
	snprintf(path, sizeof(path), "/proc/%d/../..%s", (int)getpid(), whole);
	SAME(KEY(PYTHON, path), KEY(PYTHON, "a.py"));
	assert_int_equal(key_at(&place, path), 0);
}

/* As in a sandbox of theirs. */
static void what_a_user_sees_below_another_root_does_not_lead_out_of_it(void **state)
{
	_cleanup_close_ int root = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC),
			    folder_one = open("one", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct asked_place place = {.folder = folder_one, .root = root, .viewer = geteuid() + 1},
				 outside = {.folder = root, .root = folder_one, .viewer = geteuid() + 1};
	uint64_t a = KEY(PYTHON, "a.py");

	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(symlink("/a.py", "of-root"), 0);
	SAME(a, key_at(&place, "/a.py"));
	SAME(a, key_at(&place, "../of-root"));
	SAME(a, key_at(&place, "../../../a.py"));
	SAME(a, key_at(&place, "/one/../../one/../a.py"));
	SAME(KEY(PYTHON, "one/a.py"), key_at(&place, "a.py"));
	assert_int_equal(key_at(&outside, "a.py"), 0);
	assert_int_equal(chmod("one", 0700), 0);
	assert_int_equal(key_at(&place, "../a.py"), 0);
	assert_int_equal(key_at(&place, "/one/../a.py"), 0);
	assert_int_equal(chmod("one", 0755), 0);
}

/* Nonsense in the place of a rule, which a plan may hold, gives some key or none. */
static void a_strange_rule_does_no_harm(void **state)
{
	static const char *const rules[] = {"", " ", "=", "operand",
		"operand=", "operand= near=", "  -c=text ", "-=text", "operand=\xff",
		"near=", "operand=word near=", "operand=word near=../..", "called= operand=word",
		"joined -=o", "all all", "operand=file =", "-c=-c", "operand=operand"};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		(void)KEY(rules[i], "-c", "a.py", "=", "", "-", "--", "-=", "--=x");
		(void)KEY(rules[i], "a.py");
		(void)key_of(rules[i], (const char *[]){NULL});
		(void)key_of(rules[i], (const char *[]){"", "", NULL});
	}
}

/* With and without room for what the rule looks for in it. */
static void the_longest_folder_takes_no_more_room_than_there_is(void **state)
{
	static const char *const rules[] = {
		"operand=word near=", "operand=word near=e", "operand=word near=entry"};
	const size_t end = offsetof(struct asked, text) + ASKED_TEXT_SIZE;
	_Alignas(struct asked) char room[2 * sizeof(struct asked)];
	char name[128];

	for (size_t length = ASKED_TEXT_SIZE - 4; length < ASKED_TEXT_SIZE; length++) {
		assert_int_equal(chdir(folder), 0);
		for (size_t left = length - strlen(folder); left > 0;) {
			size_t n = left > sizeof(name) + 1 ? sizeof(name) - 2 : left - 1;

			memset(name, 'a', n);
			name[n] = '\0';
			assert_true(mkdir(name, 0755) == 0 || access(name, X_OK) == 0);
			assert_int_equal(chdir(name), 0);
			left -= n + 1;
		}
		for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
			memset(room, 'x', sizeof(room));
			(void)asked_by_arguments(rules[i], (const char *[]){"p", "word", NULL}, AT_FDCWD,
				(struct asked *)room);
			for (size_t at = end; at < sizeof(room); at++)
				assert_int_equal(room[at], 'x');
		}
	}
	assert_int_equal(chdir(folder), 0);
}

static void the_plan_of_a_start_lies_beside_the_other(void **state)
{
	const struct state_environment environment = {.state = "/state"};
	char suffix[STATE_ASKED_SIZE], path[128], other[128];

	state_asked_suffix(0x0123456789abcdef, suffix);
	assert_string_equal(suffix, "@0123456789abcdef.plan");
	assert_true(state_file(&environment, 0, suffix, "/bin/x", path, sizeof(path)));
	assert_true(state_file(&environment, 0, STATE_PLAN_SUFFIX, "/bin/x", other, sizeof(other)));
	*strchr(other, '.') = '\0';
	assert_memory_equal(path, other, strlen(other));
	assert_string_equal(path + strlen(other), suffix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_script_counts_by_its_canonical_path),
		cmocka_unit_test(options_before_it_do_not_count_but_their_values_are_known),
		cmocka_unit_test(code_and_modules_count_as_they_are),
		cmocka_unit_test(without_anything_asked_for_all_arguments_count),
		cmocka_unit_test(long_arguments_count_whole),
		cmocka_unit_test(too_many_arguments_have_no_key),
		cmocka_unit_test(also_adds_to_what_is_asked_for),
		cmocka_unit_test(an_option_without_value_makes_the_operand_a_text),
		cmocka_unit_test(a_subcommand_counts_with_the_folder_above_it),
		cmocka_unit_test(a_command_counts_with_all_its_arguments_and_the_folder),
		cmocka_unit_test(documents_of_a_host_do_not_count),
		cmocka_unit_test(another_name_is_what_the_program_is_asked_for),
		cmocka_unit_test(other_programs_count_documents_by_their_suffix),
		cmocka_unit_test(what_the_caller_learns),
		cmocka_unit_test(a_guess_is_right_where_nothing_is_a_link),
		cmocka_unit_test(what_only_the_disk_knows_is_guessed_wrong_or_not_at_all),
		cmocka_unit_test(a_path_is_found_below_the_root_of_its_process),
		cmocka_unit_test(what_the_user_cannot_see_counts_as_missing),
		cmocka_unit_test(a_path_leads_no_farther_than_the_user_can_see),
		cmocka_unit_test(nothing_is_found_by_way_of_other_processes),
		cmocka_unit_test(what_a_user_sees_below_another_root_does_not_lead_out_of_it),
		cmocka_unit_test(a_strange_rule_does_no_harm),
		cmocka_unit_test(the_longest_folder_takes_no_more_room_than_there_is),
		cmocka_unit_test(the_plan_of_a_start_lies_beside_the_other),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
