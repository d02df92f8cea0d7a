/* SPDX-License-Identifier: MIT */
/* Reads what the daemon knows, which only root can. */
#pragma once

#include <stdbool.h>

#include "learn/records.h"

/*
 * Reads a file of that name (headstartd/lessons.h, headstartd/idle.h). Returns 0, also if the daemon has written nothing yet or if
 * it is not to say why (`quiet`), or an exit status after printing the reason.
 */
int learnt_read(const char *name, const struct records_format *format, void *content, bool quiet);
