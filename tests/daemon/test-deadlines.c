/* SPDX-License-Identifier: MIT */
/* Unit tests of the daemon's children that do not end, and of what it tries again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/strings.h"
#include "base/times.h"
#include "hanging.h"
#include "headstartd/ahead/idle.h"
#include "headstartd/carry/carry.h"
#include "headstartd/learn/lessons.h"
#include "headstartd/look/looker.h"
#include "tree.h"

#define DAY_S   86400
#define HOUR_MS 3600000u

static char store[64];
static struct rlimit descriptors;

static int begin(void **state)
{
	if (getrlimit(RLIMIT_NOFILE, &descriptors) < 0)
		return -1;
	snprintf(store, sizeof(store), "/tmp/headstart-test-XXXXXX");
	return mkdtemp(store) ? setenv("HEADSTART_STATE", store, 1) : -1;
}

static int end(void **state)
{
	return setrlimit(RLIMIT_NOFILE, &descriptors) == 0 ? tree_remove(store) : -1;
}

static void begin_lessons(struct lessons *lessons, const struct carry *carry, int tracefs)
{
	assert_int_equal(lessons_init(lessons, carry, tracefs, true, UINT64_MAX), 0);
	lessons->quiet = true;
}

/* What it has removed is forgotten, and the rest is tried another day. */
static void a_child_that_forgets_and_hangs_is_given_up(void **state)
{
	struct carry carry = {0};
	struct lessons lessons;
	uint64_t told[2] = {0};
	int ends[2];
	pid_t child;

	begin_lessons(&lessons, &carry, -1);
	assert_int_equal(known_learnt(&lessons.known, "/usr/bin/removed", 0, 0, 10, time(NULL)), 0);
	assert_int_equal(known_learnt(&lessons.known, "/usr/bin/not-yet", 0, 0, 10, time(NULL)), 0);
	told[0] = known_find(&lessons.known, "/usr/bin/removed", 0)->hash;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	lessons.forgetting = child = start_hanging();
	lessons.forgotten = ends[0];
	lessons.forget_by_ms = monotonic_ms() + HOUR_MS;
	assert_int_equal(write(ends[1], told, sizeof(told)), sizeof(told));
	lessons_work(&lessons);
	assert_true(lessons_write(&lessons));
	assert_true(lessons_next_ms(&lessons) <= lessons.forget_by_ms);
	lessons.forget_by_ms = monotonic_ms();
	lessons_work(&lessons);
	assert_false(lessons_write(&lessons));
	assert_null(known_find(&lessons.known, "/usr/bin/removed", 0));
	assert_non_null(known_find(&lessons.known, "/usr/bin/not-yet", 0));
	end_hanging(child);
	assert_false(lessons_child_ended(&lessons, child, 0)); /* it is no child of ours any more */
	close(ends[1]);
	lessons_release(&lessons);
}

static void allow_descriptors(rlim_t n)
{
	const struct rlimit limit = {.rlim_cur = n, .rlim_max = descriptors.rlim_max};

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Also false under memcheck, which looks for the file first. */
static bool limit_is_obeyed(void)
{
	bool obeyed;

	allow_descriptors(STDERR_FILENO + 1);
	obeyed = open("/nowhere", O_PATH | O_CLOEXEC) < 0 && errno == EMFILE;
	allow_descriptors(descriptors.rlim_cur);
	return obeyed;
}

/* Others use what it takes, for now: a minute later the next try is made. What this kernel does not have is tried once. */
static void a_tracer_that_cannot_be_made_is_tried_again(void **state)
{
	struct carry carry = {0};
	struct lessons lessons;
	int no_tracefs;

	if (!limit_is_obeyed()) {
		print_message("no limit of descriptors (valgrind)\n");
		skip();
	}
	no_tracefs = open(store, O_PATH | O_DIRECTORY | O_CLOEXEC);
	begin_lessons(&lessons, &carry, no_tracefs);
	assert_int_equal(known_judge(&lessons.known, "/usr/bin/cold", 0, 0, KNOWN_COLD_BYTES, time(NULL)), 0);
	allow_descriptors(STDERR_FILENO + 1);
	lessons_work(&lessons);
	assert_int_equal(lessons.tracing.made, 1);
	assert_true(lessons.enabled);
	assert_true(lessons.prepare_ms > monotonic_ms());
	lessons_work(&lessons);
	assert_int_equal(lessons.tracing.made, 1);
	lessons.prepare_ms = monotonic_ms();
	lessons_work(&lessons);
	assert_int_equal(lessons.tracing.made, 2);
	assert_true(lessons.enabled);
	lessons.prepare_ms = monotonic_ms();
	allow_descriptors(descriptors.rlim_cur);
	lessons_work(&lessons);
	assert_int_equal(lessons.tracing.made, 3);
	assert_false(lessons.enabled);
	lessons_release(&lessons);
	close(no_tracefs);
}

/*
 * As while it looks for what the start's arguments name, on a server that does not answer; or later, if there is a key, which it has told.
 * Returns the child, which is given up.
 */
static pid_t trace_hangs(struct lessons *lessons, const char *program, uint64_t key)
{
	const struct lesson lesson = {.key = key};
	struct tracing *tracing = &lessons->tracing;
	pid_t child = start_hanging();
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	if (key)
		assert_int_equal(write(ends[1], &lesson, sizeof(lesson)), sizeof(lesson));
	tracing->child = child;
	tracing->told = ends[0]; /* the child has the other end, too, and tells nothing more */
	tracing->user = 1000;
	tracing->program = strdup(program);
	tracing->give_up_ms = monotonic_ms() + HOUR_MS;
	lessons_work(lessons);
	assert_int_equal(tracing->child, child);
	assert_true(lessons_next_ms(lessons) <= tracing->give_up_ms);
	tracing->give_up_ms = monotonic_ms();
	lessons_work(lessons);
	assert_int_equal(tracing->child, 0);
	close(ends[1]);
	return child;
}

/* The daemon goes on, and traces no more starts of this user; nor any, if that happens again and again. */
static void a_trace_that_hangs_is_given_up(void **state)
{
	struct carry carry = {0};
	struct lessons lessons;
	size_t n = 0;
	pid_t hanging[10];

	begin_lessons(&lessons, &carry, -1);
	assert_int_equal(known_judge(&lessons.known, "/usr/bin/cold", 0, 0, KNOWN_COLD_BYTES, time(NULL)), 0);
	while (lessons.enabled && n < 10) {
		hanging[n++] = trace_hangs(&lessons, "/usr/bin/cold", 0);
		assert_int_equal(known_find(&lessons.known, "/usr/bin/cold", 0)->tries, n);
		assert_false(lessons_write(&lessons));
		assert_false(tracing_allows(&lessons.tracing, 1000));
		assert_true(tracing_allows(&lessons.tracing, 1001));
	}
	assert_in_range(n, 2, 9);
	while (n-- > 0) {
		end_hanging(hanging[n]);
		assert_false(lessons_child_ended(&lessons, hanging[n], 0));
	}
	lessons_release(&lessons);
}

/* Or else each such start would be traced, and not read ahead, for ever. */
static void a_trace_that_fails_counts_for_the_start_that_it_traced(void **state)
{
	const struct lesson lesson = {.key = 7};
	struct carry carry = {0};
	struct lessons lessons;
	int64_t now = time(NULL);
	pid_t hanging, killed = start_hanging();
	int ends[2];

	begin_lessons(&lessons, &carry, -1);
	assert_int_equal(known_learnt(&lessons.known, "/usr/bin/host", 0, 0, 10, now), 0);
	assert_int_equal(known_judge(&lessons.known, "/usr/bin/host", 7, 0, KNOWN_COLD_BYTES, now), 0);
	hanging = trace_hangs(&lessons, "/usr/bin/host", 7);
	assert_int_equal(known_find(&lessons.known, "/usr/bin/host", 7)->tries, 1);
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(write(ends[1], &lesson, sizeof(lesson)), sizeof(lesson));
	close(ends[1]);
	lessons.tracing.child = killed; /* as when memory is short */
	lessons.tracing.told = ends[0];
	lessons.tracing.program = strdup("/usr/bin/host");
	assert_true(lessons_child_ended(&lessons, killed, 0));
	assert_int_equal(known_find(&lessons.known, "/usr/bin/host", 7)->tries, 2);
	assert_int_equal(known_find(&lessons.known, "/usr/bin/host", 0)->tries, 0);
	end_hanging(hanging);
	end_hanging(killed);
	lessons_release(&lessons);
}

static int64_t last_start(const struct lessons *lessons, uint64_t key)
{
	return known_find(&lessons->known, "/usr/bin/host", key)->last_start;
}

/* What a script is read ahead by is used, too, or it would be forgotten although it serves every day. */
static void plans_of_an_interpreter_are_used_by_its_scripts(void **state)
{
	const struct process_seen seen = {
		.pid = getpid(), .exec = 5, .program = "/home/script", .here = true, .named = true};
	const struct carry_told told = {.outcome = CARRY_STARTED, .exec = 5, .key = 7, .own_plan = 1};
	struct carry carry = {.helpers = {{.pid = 1, .exec = 5, .program = (char *)"/usr/bin/host"}}};
	struct lessons lessons;
	int64_t now = time(NULL);

	begin_lessons(&lessons, &carry, -1);
	assert_int_equal(known_learnt(&lessons.known, "/usr/bin/host", 0, 0, 10, now - 2 * DAY_S), 0);
	assert_int_equal(known_learnt(&lessons.known, "/usr/bin/host", 7, 0, 10, now - 2 * DAY_S), 0);
	assert_false(lessons_exec(&lessons, &seen, false));
	lessons_served(&lessons, "/usr/bin/host", 0);
	assert_true(last_start(&lessons, 0) >= now);
	assert_true(last_start(&lessons, 7) < now);
	lessons_told(&lessons, &told);
	assert_true(last_start(&lessons, 7) >= now);
	lessons_release(&lessons);
}

/* A tracer that makes the plan more exact, of a start that began with that exec. */
static pid_t begin_refining(struct lessons *lessons, uint64_t exec)
{
	struct tracing *tracing = &lessons->tracing;

	tracing->child = start_hanging();
	tracing->exec = exec;
	tracing->refines = true;
	tracing->told = open("/dev/null", O_RDONLY | O_CLOEXEC);
	tracing->program = strdup("/usr/bin/program");
	tracing->give_up_ms = monotonic_ms() + HOUR_MS;
	assert_true(tracing->told >= 0 && tracing->program);
	return tracing->child;
}

/* Whether the child has been killed; one that was not is killed now. */
static bool was_killed(pid_t child)
{
	int status;

	kill(child, SIGTERM);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	return WTERMSIG(status) == SIGKILL;
}

/* A process that is traced may execute a program that is in memory, before or after the one that is not. */
static void a_warm_exec_ends_only_its_own_trace(void **state)
{
	struct carry_told told = {.outcome = CARRY_WARM};
	struct carry carry = {0};
	struct lessons lessons;

	for (told.exec = 6; told.exec <= 8; told.exec++) {
		pid_t child;

		begin_lessons(&lessons, &carry, -1);
		child = begin_refining(&lessons, 7);
		lessons_told(&lessons, &told);
		assert_int_equal(was_killed(child), told.exec == 7);
		assert_true(lessons_child_ended(&lessons, child, 0));
		lessons_release(&lessons);
	}
}

/* What the daemon sees of an exec comes from a child, which knows nothing of its number. */
static void an_exec_keeps_its_number_when_it_is_looked_at(void **state)
{
	struct process_seen seen = {.pid = getpid(), .exec = 7, .executed = "/proc/self/exe"};
	struct looker looker = LOOKER_INIT;
	pid_t child;

	assert_true(looker_see(&looker, &seen));
	assert_int_equal(seen.exec, 7);
	child = looker.child;
	looker_release(&looker);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void mark(const char *plan)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.stale", store, plan);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* The next plan is that one, if any. */
static void next_is(const struct renew *renew, const char *plan)
{
	assert_non_null(renew->next);
	assert_true(ends_with(renew->next, plan));
}

static void a_child_that_renews_and_hangs_is_given_up(void **state)
{
	struct carry carry = {0};
	struct idle idle;
	pid_t child;

	assert_int_equal(idle_init(&idle, &carry, true, true), 0);
	mark("a.plan");
	mark("b.plan");
	assert_true(renew_look(&idle.renew, monotonic_ms()));
	next_is(&idle.renew, "/a.plan");
	idle.renew.child = child = start_hanging();
	idle.renew.give_up_ms = monotonic_ms() + HOUR_MS;
	idle_work(&idle, true, false);
	assert_int_equal(idle.renew.child, child);
	assert_true(idle_next_ms(&idle) <= idle.renew.give_up_ms);
	idle.renew.give_up_ms = monotonic_ms();
	idle_work(&idle, true, true); /* it only looks on: nothing else begins */
	assert_false(idle_renews(&idle));
	assert_false(renew_look(&idle.renew, 0) && ends_with(idle.renew.next, "/a.plan"));
	end_hanging(child);
	assert_false(idle_child_ended(&idle, child, 0));
	assert_int_equal(idle.renew.count, 0);
	idle_release(&idle);
}

/* There is no such plan. It ends by itself, long before it is given up. */
static void a_plan_that_cannot_be_renewed_is_tried_again_later(void **state)
{
	struct carry carry = {0};
	uint64_t now = monotonic_ms();
	struct idle idle;
	int status;
	pid_t child;

	assert_int_equal(idle_init(&idle, &carry, true, true), 0);
	mark("a.plan");
	assert_true(renew_look(&idle.renew, now));
	assert_true(renew_start(&idle.renew, true));
	child = idle.renew.child;
	assert_true(idle.renew.give_up_ms > now);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_not_equal(status, 0);
	renew_ended(&idle.renew, status, now);
	assert_false(renew_look(&idle.renew, now));
	assert_true(renew_look(&idle.renew, now + 2 * HOUR_MS));
	next_is(&idle.renew, "/a.plan");
	idle_release(&idle);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_that_forgets_and_hangs_is_given_up),
		TEST(a_tracer_that_cannot_be_made_is_tried_again),
		TEST(a_trace_that_hangs_is_given_up),
		TEST(a_trace_that_fails_counts_for_the_start_that_it_traced),
		TEST(plans_of_an_interpreter_are_used_by_its_scripts),
		TEST(a_warm_exec_ends_only_its_own_trace),
		TEST(an_exec_keeps_its_number_when_it_is_looked_at),
		TEST(a_child_that_renews_and_hangs_is_given_up),
		TEST(a_plan_that_cannot_be_renewed_is_tried_again_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
