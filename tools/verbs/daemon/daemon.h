/* SPDX-License-Identifier: MIT */
/* What the verbs for the daemon share. */
#pragma once

#include <stdbool.h>

/*
 * Parses the options of a verb that has only --help, and exactly so many arguments, which begin at optind. Returns false if
 * the verb is over, with its exit status.
 */
bool daemon_options(int argc, char **argv, const char *help, int arguments, int *ret_status);
