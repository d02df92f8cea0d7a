/* SPDX-License-Identifier: MIT */
/* When the machine is quiet, and when that is a reason to warm programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/quiet.h"

#define UPTIME 3600000u

/* Looks every five seconds, so many times, at a machine on which nothing happens. */
static void rest(struct quiet *quiet, struct machine *machine, int looks)
{
	for (int i = 0; i < looks; i++) {
		machine->now_ms += 5000;
		machine->boot_ms += 5000;
		quiet_look(quiet, machine);
	}
}

static struct machine machine_up_for(uint64_t ms)
{
	return (struct machine){.now_ms = ms, .boot_ms = ms};
}

static void disks_must_rest_for_ten_seconds(void **state)
{
	struct machine machine = machine_up_for(UPTIME);
	struct quiet quiet = {0};

	(void)state;
	assert_false(quiet_now(&quiet));
	quiet_look(&quiet, &machine);
	assert_false(quiet_now(&quiet));
	rest(&quiet, &machine, 1);
	assert_false(quiet_now(&quiet));
	rest(&quiet, &machine, 1);
	assert_true(quiet_now(&quiet));
	machine.disks_ms += 4000;
	rest(&quiet, &machine, 1);
	assert_false(quiet_now(&quiet));
	machine.disks_ms += 50; /* somebody writes a line into a log */
	rest(&quiet, &machine, 1);
	machine.disks_ms += 50;
	rest(&quiet, &machine, 1);
	assert_true(quiet_now(&quiet));
	machine.disks_ms = 0; /* a disk was taken out */
	rest(&quiet, &machine, 1);
	assert_false(quiet_now(&quiet));
}

static void pressure_and_sleeping_disks_forbid_work(void **state)
{
	struct machine machine = machine_up_for(UPTIME);
	struct quiet quiet = {0};

	(void)state;
	quiet_look(&quiet, &machine);
	machine.io = 50;
	rest(&quiet, &machine, 3);
	assert_false(quiet_now(&quiet));
	machine.io = 0;
	machine.cpu = 90;
	rest(&quiet, &machine, 1);
	assert_false(quiet_now(&quiet));
	machine.cpu = 0;
	machine.disk_asleep = true;
	rest(&quiet, &machine, 1);
	assert_false(quiet_now(&quiet));
	machine.disk_asleep = false;
	rest(&quiet, &machine, 1);
	assert_true(quiet_now(&quiet));
}

static void only_a_daemon_that_booting_has_started_warms(void **state)
{
	struct machine machine = machine_up_for(UPTIME);
	struct quiet late = {0}, booted = {0};

	(void)state;
	quiet_look(&late, &machine);
	rest(&late, &machine, 10);
	assert_int_equal(quiet_wants_warming(&late), QUIET_NO_REASON);
	machine = machine_up_for(20000);
	quiet_look(&booted, &machine);
	assert_int_equal(quiet_wants_warming(&booted), QUIET_BOOTED);
	rest(&booted, &machine, 3);
	assert_int_equal(quiet_wants_warming(&booted), QUIET_BOOTED);
	quiet_warmed(&booted);
	rest(&booted, &machine, 3);
	assert_int_equal(quiet_wants_warming(&booted), QUIET_NO_REASON);
}

static void a_reason_does_not_last(void **state)
{
	struct machine machine = machine_up_for(20000);
	struct quiet quiet = {0};

	(void)state;
	quiet_look(&quiet, &machine);
	rest(&quiet, &machine, QUIET_WARM_MS / 5000 - 1);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_BOOTED);
	rest(&quiet, &machine, 1);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_NO_REASON);
}

static void a_machine_that_slept_is_a_reason(void **state)
{
	struct machine machine = machine_up_for(UPTIME);
	struct quiet quiet = {0};

	(void)state;
	quiet_look(&quiet, &machine);
	machine.boot_ms += 400; /* clocks are read one after the other */
	rest(&quiet, &machine, 1);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_NO_REASON);
	machine.boot_ms += 60000;
	rest(&quiet, &machine, 1);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_RESUMED);
}

static void memory_that_was_short_is_a_reason_when_that_is_over(void **state)
{
	struct machine machine = machine_up_for(20000);
	struct quiet quiet = {0};

	(void)state;
	machine.memory = 40;
	quiet_look(&quiet, &machine);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_NO_REASON); /* though it has booted */
	machine.memory = 5;
	rest(&quiet, &machine, 5);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_NO_REASON);
	machine.memory = 0;
	rest(&quiet, &machine, 1);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_MEMORY);
}

static void nothing_is_warmed_on_a_battery(void **state)
{
	struct machine machine = machine_up_for(20000);
	struct quiet quiet = {0};

	(void)state;
	machine.on_battery = true;
	quiet_look(&quiet, &machine);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_NO_REASON);
	machine.on_battery = false;
	rest(&quiet, &machine, 1);
	assert_int_equal(quiet_wants_warming(&quiet), QUIET_BOOTED);
}

static void work_of_our_own_is_no_unrest(void **state)
{
	struct machine machine = machine_up_for(UPTIME);
	struct quiet quiet = {0};

	(void)state;
	quiet_look(&quiet, &machine);
	rest(&quiet, &machine, 2);
	quiet_work(&quiet);
	assert_false(quiet_now(&quiet));
	machine.disks_ms += 5000;
	rest(&quiet, &machine, 1);
	assert_false(quiet_now(&quiet));
	rest(&quiet, &machine, 1);
	assert_true(quiet_now(&quiet));
}

static void looks_are_rare_while_nothing_waits(void **state)
{
	struct machine machine = machine_up_for(UPTIME);
	struct quiet quiet = {0};

	(void)state;
	assert_int_equal(quiet_next_ms(&quiet, false), 0);
	quiet_look(&quiet, &machine);
	assert_int_equal(quiet_next_ms(&quiet, false), UPTIME + QUIET_REST_MS);
	assert_int_equal(quiet_next_ms(&quiet, true), UPTIME + QUIET_LOOK_MS);
	machine.memory = 50;
	quiet_look(&quiet, &machine);
	assert_int_equal(quiet_next_ms(&quiet, false), UPTIME + QUIET_LOOK_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disks_must_rest_for_ten_seconds),
		cmocka_unit_test(pressure_and_sleeping_disks_forbid_work),
		cmocka_unit_test(only_a_daemon_that_booting_has_started_warms),
		cmocka_unit_test(a_reason_does_not_last),
		cmocka_unit_test(a_machine_that_slept_is_a_reason),
		cmocka_unit_test(memory_that_was_short_is_a_reason_when_that_is_over),
		cmocka_unit_test(nothing_is_warmed_on_a_battery),
		cmocka_unit_test(work_of_our_own_is_no_unrest),
		cmocka_unit_test(looks_are_rare_while_nothing_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
