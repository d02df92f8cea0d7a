/* SPDX-License-Identifier: MIT */
/* The launcher as the first program of a machine, for which it has a second name. */
#pragma once

#include <stdbool.h>

/* Whether the program was executed by that name, a path that ends in "headstart-init". */
bool init_is(const char *argv0);

/*
 * Has the plan of a boot carried out, and the boot recorded, before the real init reads anything, and becomes that init, with the same
 * arguments and environment. Returns an exit status after printing the reason: this is not pid 1, or there is no init.
 */
int init_run(int argc, char **argv);
