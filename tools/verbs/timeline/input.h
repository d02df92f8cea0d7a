/* SPDX-License-Identifier: MIT */
/* The timeline that the user gave a verb. */
#pragma once

#include "timeline/timeline.h"

/* Reads a timeline, which the caller releases. Returns 0, or an exit status after printing the reason. */
int timeline_input(const char *path, struct timeline *ret);
