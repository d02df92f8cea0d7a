/* SPDX-License-Identifier: MIT */
/* Settings (config/config.h) for our programs. Mistakes in them are reported in one sentence, and stop nothing. */
#pragma once

#include <stdbool.h>

#include "config/config.h"

/* Reads the settings of this user or, without `user`, only root's. Reports mistakes on stderr, unless quiet. */
void settings_read(struct config *ret, bool user, bool quiet);

/*
 * Whether headstart may act for the program. If not, *ret_why is "FILE:LINE denies it" or the like, which the caller
 * frees, or NULL if memory runs out.
 */
bool settings_allow(const struct config *config, const char *program, char **ret_why);
