/* SPDX-License-Identifier: MIT */
/* Keeps what a start of this user touched, as a learnt profile and a plan in the user's own folder. */
#pragma once

#include <stdint.h>

#include "profile/profile.h"

/*
 * `public` is what everybody's plan has of the program; `own` has the arguments of the start, and is what the start touched of the user's own
 * files, of which nothing but names and pages is known yet. Both are changed. What had a lower order than `found` in `own` was touched before
 * anybody looked. What somebody has recorded, or what cannot be read, stays as it is. Returns 0 or negative errno; what was kept before is
 * still there then.
 */
int start_keep(struct profile *public, struct profile *own, uint32_t found);
