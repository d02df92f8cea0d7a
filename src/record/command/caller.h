/* SPDX-License-Identifier: MIT */
/*
 * The environment that a user had when calling sudo, pkexec or su: these keep most of it from what they run as root.
 *
 * The values are the user's and may be anything. Root only copies them: into the environment of a process that has
 * become that user, and PATH to look for a command's file.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct caller {
	char *environment; /* owned: "NAME=value", each with a NUL */
	size_t size;       /* bytes */
};

/*
 * Goes up from our parent to the first process that is the user's in every respect. Takes the environment that this
 * process gave to the one below it, or if that is ourselves, its own. Returns 0, -ENOENT if there is no such process,
 * or negative errno.
 */
int caller_find(uid_t user, struct caller *ret);

/* The value of a variable, or NULL. Valid until caller_release(). */
const char *caller_value(const struct caller *caller, const char *name);
void caller_release(struct caller *caller);

static inline void caller_releasep(struct caller *caller)
{
	caller_release(caller);
}
