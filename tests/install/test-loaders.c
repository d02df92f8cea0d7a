/* SPDX-License-Identifier: MIT */
/* What the loaders of this machine put in the place of $LIB: where they search says the same as what they say themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "setup/system/loaders.h"
#include "setup/system/searched-lib.h"

static void search_says_what_the_loader_says(void **state)
{
	struct loader *loaders;
	size_t n, said = 0;

	assert_int_equal(loaders_find(&loaders, &n), 0);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *lib = NULL;

		assert_int_equal(searched_lib(loaders[i].path, &lib), 0);
		if (!lib || !loaders[i].lib)
			continue; /* its libc lies elsewhere */
		assert_string_equal(lib, loaders[i].lib);
		said++;
	}
	loaders_free(loaders, n);
	if (said == 0)
		skip();
}

static void a_loader_that_is_not_there_says_nothing(void **state)
{
	char *lib = NULL;

	assert_int_not_equal(searched_lib("/none/loader", &lib), 0);
	assert_null(lib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_says_what_the_loader_says),
		cmocka_unit_test(a_loader_that_is_not_there_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
