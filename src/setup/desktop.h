/* SPDX-License-Identifier: MIT */
/*
 * .desktop files (Desktop Entry Specification 1.5): finds the command of their Exec lines, and makes the same file with
 * another command in its place. All other bytes stay as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The command of the first Exec line of [Desktop Entry], unquoted, without `env VARIABLE=VALUE` in front of it. *ret is
 * the caller's. Returns 0, -ENOENT (there is none), or -ENOMEM.
 */
int desktop_command(const char *text, char **ret);

/* Returns the replacement of a command; NULL leaves the command as it is. */
typedef const char *desktop_replace(void *context, const char *command);

/*
 * The file, with each command of [Desktop Entry] and of its actions replaced as `replace` says. If any was replaced, it
 * also has DBusActivatable=false, because otherwise Exec would not be used. *ret is the caller's and NUL-terminated.
 * Returns the number of replaced commands, or -ENOMEM.
 */
int desktop_rewrite(const char *text, desktop_replace *replace, void *context, char **ret);
