/* SPDX-License-Identifier: MIT */
/* A detached process ends, whatever it waits for. */
#pragma once

#include <stdint.h>

/* A little after that many milliseconds SIGALRM ends this process; execve(2) does not change that. 0: no
 * limit. */
void time_limit_set(uint32_t ms);
