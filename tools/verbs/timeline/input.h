/* SPDX-License-Identifier: MIT */
/* The timeline that the user gave a verb. */
#pragma once

#include "timeline/timeline.h"

/* Reads a timeline, which the caller releases; with `boots`, only that of a boot. Returns 0, or an exit status after printing the reason. */
int timeline_input(const char *path, bool boots, struct timeline *ret);
