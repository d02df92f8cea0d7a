/* SPDX-License-Identifier: MIT */
/* The words of a path that is followed by hand, so that each link and each folder on it can be checked. */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct steps {
	char rest[PATH_MAX]; /* of the path, from the place reached so far */
	bool from_root;      /* the rest begins at "/"; whoever goes there sets it to false */
	unsigned links;      /* followed so far */
};

/* Returns 0 or -ENAMETOOLONG. */
int steps_begin(struct steps *steps, const char *path);

/* Takes the first word of the rest. *ret is "" at the end. Returns 0 or -ENAMETOOLONG. */
int steps_take(struct steps *steps, char ret[NAME_MAX + 1]);

/* Continues with the target of the link, which is open by O_PATH: with its text, so nothing is followed. Returns 0 or negative errno. */
int steps_follow(struct steps *steps, int link);
