/* SPDX-License-Identifier: MIT */
/* A terminal that is drawn upon as a whole, and is afterwards what it was before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Takes the terminal `fd`, borrowed, until screen_end(): what stood on it comes back then. Where the process is suspended
 * meanwhile (SIGTSTP), it comes back, too.
 */
void screen_begin(int fd);
void screen_end(void);

/* Its size at the moment, in characters. Returns whether it is known. */
bool screen_size(int fd, size_t *ret_columns, size_t *ret_lines);

/* Replaces what is shown by these lines, each of which ends with a newline and fits. */
void screen_draw(const char *lines);
