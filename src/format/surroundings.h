/* SPDX-License-Identifier: MIT */
/*
 * Where a process that init inherits would be noticed by a program that did not start it. Freestanding: the shims and
 * the launcher must agree.
 *
 * - In another pid namespace than the initial one: pid 1 of a container is often a program that waits only for its own
 *   children, and leaves others as zombies.
 * - In a service of systemd, which takes the only process of a Type=forking service for its main process. Below a user's
 *   manager, desktop sessions and the applications that they start are services too, but not of that type; their names show
 *   them (systemd.io/DESKTOP_ENVIRONMENTS).
 * - In a scope that is no user's, as `systemd-run --scope --unit=NAME` makes it: that name is free again when no process is in
 *   it any more.
 *
 * Administrators who want prefetchers there create the file SURROUNDINGS_EVERYWHERE.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SURROUNDINGS_EVERYWHERE     "/etc/headstart/everywhere"
#define SURROUNDINGS_PID_NAMESPACE  "/proc/thread-self/ns/pid"
#define SURROUNDINGS_PID_CHILDREN   "/proc/thread-self/ns/pid_for_children"
#define SURROUNDINGS_NAMESPACE_SIZE 32                 /* bytes of such a link, with a NUL */
#define SURROUNDINGS_FIRST          "pid:[4026531836]" /* the initial one: PROC_PID_INIT_INO of <linux/proc_ns.h> */
#define SURROUNDINGS_GROUPS         "/proc/thread-self/cgroup"

static inline bool surroundings_begins(const char *string, const char *prefix)
{
	while (*prefix && *string == *prefix)
		string++, prefix++;
	return !*prefix;
}

/* Whether `name`, which ends at `end`, ends with `suffix`. */
static inline bool surroundings_ends(const char *name, const char *end, const char *suffix)
{
	size_t length = 0;

	while (suffix[length])
		length++;
	return (size_t)(end - name) >= length && surroundings_begins(end - length, suffix);
}

/*
 * Whether the innermost unit in the path of a control group (which ends with a NUL or a newline) is such a service, or such
 * a scope: the name says "service" for both.
 */
static inline bool surroundings_is_service(const char *path)
{
	bool service = false, desktop = false, user = false;
	const char *end;

	for (const char *at = path; *at && *at != '\n'; at = *end == '/' ? end + 1 : end) {
		for (end = at; *end && *end != '/' && *end != '\n'; end++)
			;
		if (surroundings_ends(at, end, ".slice"))
			desktop = surroundings_begins(at, "session.slice");
		else if (surroundings_ends(at, end, ".scope"))
			service = !user && !surroundings_begins(at, "session-") &&
				!surroundings_begins(at, "init.scope");
		else if (surroundings_ends(at, end, ".service")) {
			service = !user ||
				(!desktop && !surroundings_begins(at, "app-") &&
					!surroundings_begins(at, "dbus-:"));
			user |= surroundings_begins(at, "user@");
		}
	}
	return service;
}
