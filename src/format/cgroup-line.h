/* SPDX-License-Identifier: MIT */
/*
 * A line of /proc/PID/cgroup, ID:CONTROLLERS:PATH (cgroups(7)). Freestanding: the shims, the launcher and the
 * prefetcher must agree.
 */
#pragma once

#include <stdbool.h>

struct cgroup_line {
	const char *controllers; /* their names, separated by commas, up to a colon; none: version 2 */
	const char *path;        /* of the control group, up to the end of the line */
};

/* Parses a line that ends with a NUL or a newline; false if it is malformed. */
static inline bool cgroup_line_split(const char *line, struct cgroup_line *ret)
{
	while (*line && *line != '\n' && *line != ':')
		line++;
	if (*line != ':')
		return false;
	ret->controllers = ++line;
	while (*line && *line != '\n' && *line != ':')
		line++;
	if (line[0] != ':' || line[1] != '/')
		return false;
	ret->path = line + 1;
	return true;
}

/* Whether the line belongs to the hierarchy of this controller; "" means that of version 2. */
static inline bool cgroup_line_has(const struct cgroup_line *line, const char *controller)
{
	for (const char *at = line->controllers;; at++) {
		const char *name = controller;

		while (*name && *at == *name)
			at++, name++;
		if (!*name && (*at == ',' || *at == ':'))
			return true;
		while (*at != ',' && *at != ':')
			at++;
		if (*at == ':')
			return false;
	}
}
