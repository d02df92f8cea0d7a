/* SPDX-License-Identifier: MIT */
/* Reads what the daemon knows, which only root can. */
#pragma once

#include <stdbool.h>

#include "learn/habits-file.h"
#include "learn/known-file.h"

/* Both return 0, also if the daemon has written nothing yet, or an exit status after printing the reason. */
int learnt_known(struct known *ret);
int learnt_habits(struct habits *ret, bool quiet);
