/* SPDX-License-Identifier: MIT */
/* Which exec belongs to which start, and how much a start has read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "learn/starts.h"

#define PIDS 64

/* A machine: how much each process has read, and whether it lives. */
struct machine {
	uint64_t bytes[PIDS];
	bool lives[PIDS];
	char judged[64];
	uint64_t judged_key, judged_bytes;
	unsigned n_judged;
};

static bool bytes_of(void *context, int32_t pid, uint64_t *ret)
{
	struct machine *machine = context;

	*ret = machine->bytes[pid];
	return machine->lives[pid];
}

static void judge(void *context, const struct start *start, uint64_t bytes)
{
	struct machine *machine = context;

	machine->judged_key = start->key;
	snprintf(machine->judged, sizeof(machine->judged), "%s", start->program);
	machine->judged_bytes = bytes;
	machine->n_judged++;
}

static void look(struct starts *starts, struct machine *machine, uint64_t now)
{
	starts_look(starts, now, &(struct starts_eyes){bytes_of, judge, machine});
}

static enum starts_role execute(
	struct starts *starts, int32_t pid, int32_t parent, const char *program, uint64_t now)
{
	return starts_exec(
		starts, &(struct starts_process){.pid = pid, .parent = parent, .user = 1000}, program, now);
}

static void run(struct machine *machine, int32_t pid, uint64_t bytes)
{
	machine->lives[pid] = true;
	machine->bytes[pid] = bytes;
}

static void what_a_start_executes_belongs_to_it(void **state)
{
	static struct starts starts;

	assert_int_equal(execute(&starts, 10, 1, "/usr/bin/soffice", 1000), STARTS_BEGINS);
	assert_int_equal(execute(&starts, 11, 10, "/usr/bin/sed", 1100), STARTS_BELONGS);
	assert_int_equal(execute(&starts, 12, 11, "/usr/bin/uname", 1200), STARTS_BELONGS);
	assert_int_equal(execute(&starts, 10, 1, "/usr/lib/soffice.bin", 1300), STARTS_BELONGS);
	assert_int_equal(execute(&starts, 20, 1, "/usr/bin/git", 1300), STARTS_BEGINS);
	starts_release(&starts);
}

/* What made a container has its files outside; what runs there has others. */
static void what_a_container_executes_is_a_start_of_its_own(void **state)
{
	static struct starts starts;
	const struct starts_process inside = {.pid = 11, .parent = 10, .elsewhere = true},
				    child = {.pid = 12, .parent = 11, .elsewhere = true};

	assert_int_equal(execute(&starts, 10, 1, "/usr/bin/engine", 1000), STARTS_BEGINS);
	assert_int_equal(execute(&starts, 11, 10, "/usr/bin/helper", 1100), STARTS_BELONGS);
	assert_int_equal(starts_exec(&starts, &inside, "/layer/usr/bin/server", 1200), STARTS_BEGINS);
	assert_int_equal(starts_exec(&starts, &child, "/layer/usr/bin/worker", 1300), STARTS_BELONGS);
	starts_release(&starts);
}

static void execute_planned(struct starts *starts, int32_t pid, uint64_t exec, const char *program)
{
	assert_int_equal(
		starts_exec(starts,
			&(struct starts_process){.pid = pid, .parent = 1, .user = 1000, .exec = exec},
			program, 1000),
		STARTS_BEGINS);
	starts_planned(starts, exec);
}

/* What a program with a plan reads counts only where it is known what the start asked for. */
static void a_planned_start_is_judged_by_its_key(void **state)
{
	static struct starts starts;
	struct machine machine = {0};

	run(&machine, 10, 1000);
	run(&machine, 11, 2000);
	execute_planned(&starts, 10, 1, "/usr/bin/git");
	execute_planned(&starts, 11, 2, "/usr/bin/python3");
	starts_asked(&starts, 2, 77);
	starts_asked(&starts, 3, 78); /* nobody */
	assert_string_equal(starts_of(&starts, 2)->program, "/usr/bin/python3");
	assert_null(starts_of(&starts, 3));
	look(&starts, &machine, 1000 + STARTS_WINDOW_MS);
	assert_int_equal(machine.n_judged, 1);
	assert_string_equal(machine.judged, "/usr/bin/python3");
	assert_int_equal(machine.judged_key, 77);
	assert_int_equal(machine.judged_bytes, 2000);
	starts_release(&starts);
}

/* The process itself executes another program, and a child of it one, before it is known what the start asked for. */
static void what_others_of_a_start_ask_for_is_not_its_key(void **state)
{
	static struct starts starts;
	struct machine machine = {0};

	run(&machine, 10, 1000);
	execute_planned(&starts, 10, 1, "/usr/bin/git");
	assert_int_equal(starts_exec(&starts,
				 &(struct starts_process){.pid = 10, .parent = 1, .user = 1000, .exec = 2},
				 "/usr/bin/python3", 1001),
		STARTS_BELONGS);
	assert_int_equal(starts_exec(&starts,
				 &(struct starts_process){.pid = 11, .parent = 10, .user = 1000, .exec = 3},
				 "/usr/bin/perl", 1001),
		STARTS_BELONGS);
	starts_asked(&starts, 2, 78);
	starts_asked(&starts, 3, 79);
	assert_null(starts_of(&starts, 2));
	starts_asked(&starts, 1, 77);
	look(&starts, &machine, 1000 + STARTS_WINDOW_MS);
	assert_int_equal(machine.n_judged, 1);
	assert_int_equal(machine.judged_key, 77);
	starts_release(&starts);
}

static void later_it_is_a_start_of_its_own(void **state)
{
	static struct starts starts;

	assert_int_equal(execute(&starts, 10, 1, "/usr/bin/emacs", 1000), STARTS_BEGINS);
	assert_int_equal(execute(&starts, 11, 10, "/usr/bin/git", 1000 + STARTS_WINDOW_MS), STARTS_BEGINS);
	starts_release(&starts);
}

static void shells_begin_nothing(void **state)
{
	static struct starts starts;

	assert_int_equal(execute(&starts, 10, 1, "/usr/bin/bash", 1000), STARTS_IGNORED);
	assert_int_equal(execute(&starts, 11, 10, "/usr/bin/sudo", 1001), STARTS_IGNORED);
	assert_int_equal(execute(&starts, 11, 10, "/usr/bin/gimp", 1002), STARTS_BEGINS);
	assert_true(starts_next_ms(&starts) > 1002);
	starts_release(&starts);
}

static void a_short_start_is_judged_when_it_has_ended(void **state)
{
	static struct starts starts;
	struct machine machine = {0};

	execute(&starts, 10, 1, "/usr/bin/true", 1000);
	assert_int_equal(starts_next_ms(&starts), 1020);
	look(&starts, &machine, 1019);
	assert_int_equal(machine.n_judged, 0);
	look(&starts, &machine, 1020);
	assert_int_equal(machine.n_judged, 1);
	assert_int_equal(machine.judged_bytes, 0);
	assert_true(starts_next_ms(&starts) == UINT64_MAX);
}

static void a_long_start_is_judged_at_the_end_of_its_window(void **state)
{
	static struct starts starts;
	struct machine machine = {0};

	run(&machine, 10, 1 << 20);
	execute(&starts, 10, 1, "/usr/bin/gimp", 1000);
	for (uint64_t now; (now = starts_next_ms(&starts)) < 1000 + STARTS_WINDOW_MS;)
		look(&starts, &machine, now);
	assert_int_equal(machine.n_judged, 0);
	machine.bytes[10] = 5 << 20;
	look(&starts, &machine, 1000 + STARTS_WINDOW_MS);
	assert_string_equal(machine.judged, "/usr/bin/gimp");
	assert_int_equal(machine.judged_bytes, 5 << 20);
}

/* A parent counts what its children have read once it has waited for them. */
static void what_children_read_counts_once(void **state)
{
	static struct starts starts;
	struct machine machine = {0};

	run(&machine, 10, 100);
	run(&machine, 11, 1000);
	execute(&starts, 10, 1, "/usr/bin/soffice", 1000);
	execute(&starts, 11, 10, "/usr/lib/oosplash", 1001);
	look(&starts, &machine, 1020);
	machine.lives[11] = false;
	machine.bytes[10] = 1100;
	look(&starts, &machine, 1060);
	machine.lives[10] = false;
	look(&starts, &machine, 1200);
	assert_int_equal(machine.n_judged, 1);
	assert_int_equal(machine.judged_bytes, 1100);
}

/* A script may end before the program that it leaves behind. */
static void what_is_left_behind_counts(void **state)
{
	static struct starts starts;
	struct machine machine = {0};

	run(&machine, 10, 100);
	run(&machine, 11, 1000);
	execute(&starts, 10, 1, "/usr/bin/launch", 1000);
	execute(&starts, 11, 10, "/usr/bin/firefox", 1001);
	look(&starts, &machine, 1020);
	machine.lives[10] = false;
	machine.bytes[11] = 3000;
	look(&starts, &machine, 1060);
	assert_int_equal(machine.n_judged, 0);
	machine.lives[11] = false;
	look(&starts, &machine, 1200);
	assert_int_equal(machine.judged_bytes, 3100);
}

static void fill(struct starts *starts, uid_t user, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		const struct starts_process process = {
			.pid = ((int32_t)user + 1) * 1000 + i, .parent = 1, .user = user};

		assert_int_equal(starts_exec(starts, &process, "/usr/bin/cc", 1000), STARTS_BEGINS);
	}
}

static void a_full_table_ignores_the_rest(void **state)
{
	static struct starts starts;

	for (uid_t user = 1; user <= STARTS_MAX / STARTS_OF_USER; user++)
		fill(&starts, user, STARTS_OF_USER);
	assert_int_equal(execute(&starts, 9999, 1, "/usr/bin/cc", 1000), STARTS_IGNORED);
	starts_release(&starts);
	assert_int_equal(execute(&starts, 9999, 1, "/usr/bin/cc", 1000), STARTS_BEGINS);
	starts_release(&starts);
}

static void a_user_with_many_starts_leaves_room_for_others(void **state)
{
	static struct starts starts;

	fill(&starts, 1000, STARTS_OF_USER);
	assert_int_equal(execute(&starts, 1, 2, "/usr/bin/cc", 1000), STARTS_IGNORED);
	fill(&starts, 1001, 1);
	fill(&starts, 0, STARTS_OF_USER);
	starts_release(&starts);
}

static void members_beyond_the_most_still_belong(void **state)
{
	static struct starts starts;

	execute(&starts, 1000, 1, "/usr/bin/make", 1000);
	for (int32_t pid = 1; pid < 2 * STARTS_MEMBERS_MAX; pid++)
		assert_int_equal(execute(&starts, 1000 + pid, 1000, "/usr/bin/cc", 1000), STARTS_BELONGS);
	starts_release(&starts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_start_executes_belongs_to_it),
		cmocka_unit_test(what_a_container_executes_is_a_start_of_its_own),
		cmocka_unit_test(a_planned_start_is_judged_by_its_key),
		cmocka_unit_test(what_others_of_a_start_ask_for_is_not_its_key),
		cmocka_unit_test(later_it_is_a_start_of_its_own),
		cmocka_unit_test(shells_begin_nothing),
		cmocka_unit_test(a_short_start_is_judged_when_it_has_ended),
		cmocka_unit_test(a_long_start_is_judged_at_the_end_of_its_window),
		cmocka_unit_test(what_children_read_counts_once),
		cmocka_unit_test(what_is_left_behind_counts),
		cmocka_unit_test(a_full_table_ignores_the_rest),
		cmocka_unit_test(a_user_with_many_starts_leaves_room_for_others),
		cmocka_unit_test(members_beyond_the_most_still_belong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
