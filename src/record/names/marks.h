/* SPDX-License-Identifier: MIT */
/* The file systems of which fanotify reports what is opened. Internal to src/record/names. */
#pragma once

#include "record/names/opens.h"

/* Marks the file system of a mount of our own namespace. Returns 0 or -ENOMEM. */
int marks_mount(struct opens *opens, const struct mount *mount);

/* Marks the file systems that are mounted in the view alone, unless whoever made it is not trusted. Returns 0 or -ENOMEM. */
int marks_view(struct opens *opens, const struct view *view);
