/* SPDX-License-Identifier: MIT */
/*
 * plan-of touch|physical FILE…: a plan over the whole of each file, on standard output. For behaviour tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make-plan.h"

int main(int argc, char **argv)
{
	struct plan_maker maker = {.window_pages = 32};
	size_t size;
	void *data;

	if (argc < 3)
		return 2;
	maker.order = strcmp(argv[1], "physical") == 0 ? PLAN_ORDER_PHYSICAL : PLAN_ORDER_TOUCH;
	maker.program = argv[2];
	for (int i = 2; i < argc; i++)
		plan_maker_whole(&maker, plan_maker_add(&maker, argv[i]));
	data = plan_maker_finish(&maker, &size);
	fwrite(data, 1, size, stdout);
	free(data);
	plan_maker_release(&maker);
	return fflush(stdout) == 0 ? 0 : 1;
}
