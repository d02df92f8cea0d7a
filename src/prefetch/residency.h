/* SPDX-License-Identifier: MIT */
/* Looks up what of a plan is in the page cache. */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"

/* residency_of_range() of all extents of a plan; files that have changed or gone count as 0. */
int residency_of_plan(const struct plan_view *plan, uint64_t *ret_bytes);
