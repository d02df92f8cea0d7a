/* SPDX-License-Identifier: MIT */
/*
 * .desktop files (Desktop Entry Specification 1.5): which command their Exec lines start, and the same file
 * with another command in its place. All other bytes stay as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The command of the first Exec line of [Desktop Entry], unquoted, behind an `env VARIABLE=VALUE` in front of
 * it. *ret is the caller's. Returns 0, -ENOENT (it has none), or -ENOMEM.
 */
int desktop_command(const char *text, char **ret);

/* What to put in the place of a command; NULL leaves it as it is. */
typedef const char *desktop_replace(void *context, const char *command);

/*
 * The file with each command of [Desktop Entry] and of its actions replaced as `replace` says, and, if any
 * was, with DBusActivatable=false, since else nobody would look at Exec. *ret is the caller's and
 * NUL-terminated. Returns how many were replaced, or -ENOMEM.
 */
int desktop_rewrite(const char *text, desktop_replace *replace, void *context, char **ret);
