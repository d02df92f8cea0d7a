/* SPDX-License-Identifier: MIT */
/* Settings (config/config.h) as programs take them: what is wrong in them is one sentence, and stops nothing.
 */
#pragma once

#include <stdbool.h>

#include "config/config.h"

/* Reads the settings of this user, or, without `user`, root's alone. Says what is wrong on stderr, unless
 * quiet. */
void settings_read(struct config *ret, bool user, bool quiet);

/*
 * Whether headstart may act for the program. If not, *ret_why is "FILE:LINE denies it" or the like, for the
 * caller to free, or NULL without memory.
 */
bool settings_allow(const struct config *config, const char *program, char **ret_why);
