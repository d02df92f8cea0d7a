/* SPDX-License-Identifier: MIT */
/*
 * A terminal for a command of another user: a pseudo-terminal whose other end we relay to and from our own.
 *
 * A process that has a terminal open can push characters into its input (TIOCSTI), read what is typed later, and change
 * its modes: with root's terminal it could run commands in root's shell. The pseudo-terminal is no process's
 * controlling terminal, so that the end of a wrapper does not send SIGHUP to what it started. The keyboard's signals
 * still come to us, from our own terminal; the recorder passes them on.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct terminal;

/*
 * Makes a pseudo-terminal of the user to replace those of our standard descriptors that are terminals. *ret is NULL if
 * none is; free it with terminal_free(). Returns 0, -ENOENT if there is no such user, -ENODEV if the system has no
 * pseudo-terminals (/dev/ptmx), or negative errno.
 */
int terminal_new(const char *user, struct terminal **ret);

/* In the child: replaces the standard descriptors that were terminals. Returns 0 or negative errno. */
int terminal_enter(const struct terminal *terminal);

/* Begins to relay once the child has entered; keys go to the command. Returns 0 or negative errno. */
int terminal_relay(struct terminal *terminal);

/*
 * Shows a line of progress on our terminal, in place of the one before. It is gone before the command's output goes on,
 * and does not appear while the command has left a line unfinished.
 */
void terminal_tell(struct terminal *terminal, const char *text);

/* Clears the line of progress and ends an unfinished line of the command's. NULL is allowed. */
void terminal_end_line(struct terminal *terminal);

/* Relays what the command has written and restores our own terminal's modes. NULL is allowed. */
void terminal_free(struct terminal *terminal);
