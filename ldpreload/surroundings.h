/* SPDX-License-Identifier: MIT */
/* What is around the program: who would see the prefetcher, and whether there is room for it. */
#pragma once

#include <stdbool.h>

/* Whether a prefetcher may be started here; the reasons are in surroundings.c. Only after shim_may_act(). */
bool surroundings_permit(void);
