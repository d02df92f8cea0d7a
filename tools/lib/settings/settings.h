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

/* What the settings let headstart do for a program. */
struct settings_permit {
	bool prefetch;
	bool learn; /* how it starts */
};

/* Reads the settings anew, in silence. `user` as in settings_read(). */
struct settings_permit settings_permit(const char *program, bool user);
