/* SPDX-License-Identifier: MIT */
/* Plan mode: the plan of the program that is starting, and the prefetcher set to work on it. */
#pragma once

#include <stdbool.h>

/* Whether the program has a plan that may be trusted. If so, and if its pages are not there, the prefetcher
 * is started. */
bool plan_serve(void);
