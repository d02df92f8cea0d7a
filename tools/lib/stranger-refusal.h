/* SPDX-License-Identifier: MIT */
/* What is said where root would read or write below a folder that others can change (base/stranger.h). */
#pragma once

/*
 * Refuses a path that a variable of the environment names, if we are root and others can change where it leads. Returns
 * 0, or an exit status with the reason said, and what to type instead.
 */
int refuse_stranger_of(const char *variable, const char *path);

/* The same for HEADSTART_STATE, where it is set: to be asked before the store is used (plan/store.h). */
int refuse_strange_state(void);

/* The same for a path of another origin; `advice` follows the reason and a colon. */
int refuse_stranger(const char *path, const char *advice);
