/* SPDX-License-Identifier: MIT */
/* Unit tests of where a hook's function is looked for: in what the program was started with, and in what came later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "core/start.h"
#include "preload/next.h"

const char shim_name[] = "preload";

static void functions_of_the_start_are_found(void **state)
{
	assert_ptr_equal((void *)next_function("dlclose", NULL), dlsym(RTLD_DEFAULT, "dlclose"));
	assert_ptr_equal((void *)next_function_later("dlclose", NULL), dlsym(RTLD_DEFAULT, "dlclose"));
	assert_int_equal(next_function("no_such_function", NULL), 0);
	assert_int_equal(next_function_later("no_such_function", NULL), 0);
}

/* As dlopen is one before glibc 2.34, where the program was not linked with libdl. */
static void a_function_that_came_later_is_found_until_it_goes(void **state)
{
	void *library;

	assert_int_equal(next_function_later("two", NULL), 0);
	assert_non_null(library = dlopen(LATER, RTLD_NOW));
	assert_int_equal(next_function("two", NULL), 0);
	assert_ptr_equal((void *)next_function_later("two", NULL), dlsym(library, "two"));
	assert_ptr_equal((void *)next_function_later("two", "VERSION_1"), dlsym(library, "two"));
	assert_int_equal(dlclose(library), 0);
	assert_int_equal(next_function_later("two", NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_start_are_found),
		cmocka_unit_test(a_function_that_came_later_is_found_until_it_goes),
	};

	next_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
