/* SPDX-License-Identifier: MIT */
/* Ends a detached process, whatever it is waiting for. */
#pragma once

#include <stdint.h>

/* SIGALRM ends this process a little after that many milliseconds; execve(2) does not change that. 0: no limit. */
void time_limit_set(uint32_t ms);
