/* SPDX-License-Identifier: MIT */
/* Reads what the daemon knows, which only root can. */
#pragma once

#include <stdbool.h>

#include "learn/records.h"

/*
 * Reads the daemon's file of that name (headstartd/learn/lessons.h, headstartd/ahead/idle.h). Returns 0, also if the daemon has written nothing
 * yet, or an exit status after printing the reason. With `quiet` a file that cannot be read counts as an empty one.
 */
int learnt_read(const char *name, const struct records_format *format, void *content, bool quiet);
