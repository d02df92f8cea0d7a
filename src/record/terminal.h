/* SPDX-License-Identifier: MIT */
/*
 * A terminal for a command of another user: a pseudo-terminal whose other end we relay to and from our own.
 *
 * Whoever has a terminal open can push characters into its input (TIOCSTI), read what is typed after him, and change its
 * modes: with root's terminal, run commands in root's shell. The pseudo-terminal is nobody's controlling terminal, so
 * that a wrapper which ends does not have what it started killed by SIGHUP. What the keyboard's signals are to do is
 * the recorder's to see to: our own terminal still makes them, for us.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct terminal;

/*
 * Makes a pseudo-terminal of the user in place of those of our standard descriptors that are terminals; *ret is NULL
 * if none is. To be freed by terminal_free(). Returns 0, -ENOENT if there is no such user, -ENODEV if the system has no
 * pseudo-terminals (/dev/ptmx), or negative errno.
 */
int terminal_new(const char *user, struct terminal **ret);

/* In the child: puts it in the place of the standard descriptors that were terminals. Returns 0 or negative errno. */
int terminal_enter(const struct terminal *terminal);

/* Begins to relay, when the child has entered; what is typed goes to the command. Returns 0 or negative errno. */
int terminal_relay(struct terminal *terminal);

/* Relays what the command has written so far, and gives our own terminal back its modes. NULL is none. */
void terminal_free(struct terminal *terminal);
