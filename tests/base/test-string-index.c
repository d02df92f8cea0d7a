/* SPDX-License-Identifier: MIT */
/* Unit tests of the index by string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/string-index.h"

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);

static size_t comparisons;

int __wrap_strcmp(const char *a, const char *b)
{
	comparisons++;
	return __real_strcmp(a, b);
}

struct item {
	const char *name;
	int other;
};

static void an_empty_array_has_nothing(void **state)
{
	struct string_index index = {0};

	assert_int_equal(string_index_find(&index, NULL, sizeof(struct item), 0, "a"), -ENOENT);
	string_index_release(&index);
}

/* So many that the table grows, and slots collide. */
static void items_are_found_while_the_array_grows(void **state)
{
	enum { MANY = 1000 };
	static char names[MANY][8];
	struct item items[MANY];
	struct string_index index = {0};

	for (size_t n = 0; n < MANY; n++) {
		snprintf(names[n], sizeof(names[n]), "/%zu", n);
		assert_int_equal(string_index_find(&index, items, sizeof(*items), n, names[n]), -ENOENT);
		items[n] = (struct item){.name = names[n]};
		assert_int_equal(
			string_index_find(&index, items, sizeof(*items), n + 1, names[n / 2]), n / 2);
	}
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(string_index_find(&index, items, sizeof(*items), MANY, names[i]), i);
	string_index_release(&index);
}

static void of_equal_strings_the_first_is_found(void **state)
{
	const struct item items[] = {{"a", 1}, {"b", 2}, {"a", 3}, {"", 4}};
	struct string_index index = {0};

	assert_int_equal(string_index_find(&index, items, sizeof(*items), 4, "a"), 0);
	assert_int_equal(string_index_find(&index, items, sizeof(*items), 4, ""), 3);
	string_index_release(&index);
}

static void after_a_release_the_array_may_be_another(void **state)
{
	const struct item before[] = {{"a", 1}, {"b", 2}}, after[] = {{"b", 2}};
	struct string_index index = {0};

	assert_int_equal(string_index_find(&index, before, sizeof(*before), 2, "b"), 1);
	string_index_release(&index);
	assert_int_equal(string_index_find(&index, after, sizeof(*after), 1, "b"), 0);
	assert_int_equal(string_index_find(&index, after, sizeof(*after), 1, "a"), -ENOENT);
	string_index_release(&index);
}

/* All paths of this form have the same XXH3 without a seed: its product of the bytes 16 to 24 is 0 whatever follows. */
static void strings_made_to_collide_do_not(void **state)
{
	enum { MANY = 2000 };
	static char names[MANY][33];
	struct item items[MANY];
	struct string_index index = {0};

	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "/tmp/aaaaaaaaaaa\xde\xd4\x6d\xe9\x83\x90\x97\xdb%08zu",
			i);
		items[i] = (struct item){.name = names[i]};
		assert_int_equal(checksum64(names[i], 32), checksum64(names[0], 32));
	}
	comparisons = 0;
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(string_index_find(&index, items, sizeof(*items), MANY, names[i]), i);
	assert_in_range(comparisons, MANY, 10 * MANY); /* were it one chain: MANY * MANY */
	string_index_release(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_array_has_nothing),
		cmocka_unit_test(items_are_found_while_the_array_grows),
		cmocka_unit_test(of_equal_strings_the_first_is_found),
		cmocka_unit_test(after_a_release_the_array_may_be_another),
		cmocka_unit_test(strings_made_to_collide_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
