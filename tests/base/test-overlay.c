/* SPDX-License-Identifier: MIT */
/* The layers that mountinfo names of an overlayfs. */
#include "base/paths/overlay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"

static void expect(const char *options, bool with_upper, const char *const *layers)
{
	size_t n = 0;

	for (; layers[n]; n++) {
		_cleanup_free_ char *layer = NULL;

		assert_int_equal(overlay_layer(options, with_upper, n, &layer), 0);
		assert_string_equal(layer, layers[n]);
	}
	assert_true(overlay_layer(options, with_upper, n, &(char *){NULL}) < 0);
}

static void upper_layer_comes_first(void **state)
{
	expect("rw,lowerdir=/l1:/l2,upperdir=/u,workdir=/w", true,
		(const char *[]){"/u", "/l1", "/l2", NULL});
	expect("rw,lowerdir=/a\\040b,upperdir=/x\\134,y", true, (const char *[]){"/x,y", "/a b", NULL});
}

static void lower_layers_alone_are_told(void **state)
{
	expect("rw,lowerdir=/l1:/l2,upperdir=/u,workdir=/w", false, (const char *[]){"/l1", "/l2", NULL});
	expect("rw,lowerdir=/l\\134:1:/l2::/data", false, (const char *[]){"/l:1", "/l2", "/data", NULL});
	expect("rw,lowerdir+=/l1,lowerdir+=/l2", false, (const char *[]){"/l1", "/l2", NULL});
}

static void other_options_have_no_layers(void **state)
{
	expect("rw", true, (const char *[]){NULL});
	expect("", true, (const char *[]){NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(upper_layer_comes_first),
		cmocka_unit_test(lower_layers_alone_are_told),
		cmocka_unit_test(other_options_have_no_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
