/* SPDX-License-Identifier: MIT */
/* Unit tests of the users who take the daemon's time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/debts.h"

#define NOW    1000000u
#define PRICE  60
#define CREDIT 200
#define DEBTS                                                                                                \
	{                                                                                                    \
		.price = PRICE, .credit_ms = CREDIT                                                          \
	}

static void one_long_wait_is_paid_in_a_minute(void **state)
{
	struct debts debts = DEBTS;

	assert_false(debts_owes(&debts, 1000, NOW));
	assert_true(debts_add(&debts, 1000, 1000 + CREDIT, NOW));
	assert_true(debts_owes(&debts, 1000, NOW));
	assert_false(debts_owes(&debts, 1001, NOW));
	assert_true(debts_owes(&debts, 1000, NOW + 59999));
	assert_false(debts_owes(&debts, 1000, NOW + 60000));
}

static void short_waits_add_up(void **state)
{
	struct debts debts = DEBTS;
	uint64_t now = NOW, left_alone = 0, waits = 0;

	for (unsigned i = 0; i < 10000; i++, now += 100) {
		if (debts_owes(&debts, 1000, now)) {
			left_alone += 100;
			continue;
		}
		waits += 50;
		(void)debts_add(&debts, 1000, 50, now);
	}
	assert_true(left_alone > 900000);
	assert_true(waits <= 1000000 / PRICE + CREDIT + 50);
}

static void few_short_waits_are_nobodys_fault(void **state)
{
	struct debts debts = DEBTS;

	for (uint64_t now = NOW; now < NOW + 600000; now += 10000)
		assert_false(debts_add(&debts, 1000, 100, now));
	assert_false(debts_owes(&debts, 1000, NOW + 600000));
}

static void who_owes_again_is_told_once(void **state)
{
	struct debts debts = DEBTS;

	assert_true(debts_add(&debts, 1000, CREDIT + 1, NOW));
	assert_false(debts_add(&debts, 1000, 1, NOW + 1));
	assert_true(debts_owes(&debts, 1000, NOW + 9999)); /* ten seconds at least */
	assert_false(debts_owes(&debts, 1000, NOW + 10061));
}

/* Who takes something whenever that is allowed has one part in so many, besides the credit. */
static void the_price_is_the_part_that_a_user_has(void **state)
{
	struct debts debts = {.price = 4, .credit_ms = 60000};
	uint64_t now = NOW, taken = 0;

	while (now < NOW + 4000000) {
		uint64_t time = debts_owes(&debts, 1000, now) ? 0 : 5000;

		taken += time;
		now += time ? time : 1000;
		if (time)
			(void)debts_add(&debts, 1000, time, now);
	}
	assert_in_range(taken, 900000, 1100000);
}

static void with_many_users_the_smallest_debt_is_forgotten(void **state)
{
	struct debts debts = DEBTS;

	for (uid_t user = 0; user <= DEBTS_USERS; user++)
		assert_true(debts_add(&debts, user, 2000 + user, NOW));
	assert_false(debts_owes(&debts, 0, NOW));
	for (uid_t user = 1; user <= DEBTS_USERS; user++)
		assert_true(debts_owes(&debts, user, NOW));
}

/* As the budget of names: who asks for more is refused that, and no more. */
static void what_is_too_much_is_not_added(void **state)
{
	struct debts debts = {.price = 1, .credit_ms = 100};

	for (unsigned i = 0; i < 5; i++)
		assert_true(debts_take(&debts, 1000, 20, NOW));
	assert_false(debts_take(&debts, 1000, 20, NOW));
	assert_false(debts_take(&debts, 1000, 20, NOW + 19));
	assert_true(debts_take(&debts, 1001, 20, NOW + 19));
	assert_true(debts_take(&debts, 1000, 20, NOW + 20));
	assert_false(debts_take(&debts, 1000, 20, NOW + 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_long_wait_is_paid_in_a_minute),
		cmocka_unit_test(short_waits_add_up),
		cmocka_unit_test(few_short_waits_are_nobodys_fault),
		cmocka_unit_test(who_owes_again_is_told_once),
		cmocka_unit_test(the_price_is_the_part_that_a_user_has),
		cmocka_unit_test(what_is_too_much_is_not_added),
		cmocka_unit_test(with_many_users_the_smallest_debt_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
