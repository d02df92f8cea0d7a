/* SPDX-License-Identifier: MIT */
/* The program's surroundings: which process would inherit the prefetcher, and whether there is room for it. */
#pragma once

#include <stdbool.h>

/* Whether a prefetcher may be started here; surroundings.c says why not. Call it only after shim_may_act(). */
bool surroundings_permit(void);
