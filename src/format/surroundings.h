/* SPDX-License-Identifier: MIT */
/*
 * Where a process that falls to init would be met by somebody who has not started it. Freestanding: the shims and the
 * launcher must agree.
 *
 * - In another pid namespace than the initial one: pid 1 of a container often is a program that waits for its own children
 *   alone, and of others keeps zombies.
 * - In a service of systemd, which finds the main process of a service of Type=forking by there being one process only.
 *   Desktop sessions and the applications that they start are services too, and are told by their names
 *   (systemd.io/DESKTOP_ENVIRONMENTS); none of those is of that type.
 *
 * An administrator who wants prefetchers there all the same makes SURROUNDINGS_EVERYWHERE.
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

/* Whether the innermost unit in the path of a control group, which ends with a NUL or a newline, is a service that is no
 * part of a desktop. */
static inline bool surroundings_is_service(const char *path)
{
	bool service = false, desktop = false;
	const char *end;

	for (const char *at = path; *at && *at != '\n'; at = *end == '/' ? end + 1 : end) {
		for (end = at; *end && *end != '/' && *end != '\n'; end++)
			;
		if (surroundings_ends(at, end, ".slice"))
			desktop = surroundings_begins(at, "session.slice");
		else if (surroundings_ends(at, end, ".scope"))
			service = false;
		else if (surroundings_ends(at, end, ".service"))
			service = !desktop && !surroundings_begins(at, "app-") &&
				!surroundings_begins(at, "dbus-:");
	}
	return service;
}
