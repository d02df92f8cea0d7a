/* SPDX-License-Identifier: MIT */
/* Refuses to let root read or write below a folder that others can change (base/paths/stranger.h). */
#pragma once

/*
 * Refuses a path from a variable of the environment if we are root and others can change where it leads. Returns 0, or
 * an exit status after printing the reason and the command to type instead.
 */
int refuse_stranger_of(const char *variable, const char *path);

/* The same for HEADSTART_STATE, if it is set; also if it is not an absolute path. Call it before the store is used (plan/store/store.h). */
int refuse_strange_state(void);

/* The same for a path from elsewhere; `advice` follows the reason and a colon. */
int refuse_stranger(const char *path, const char *advice);
