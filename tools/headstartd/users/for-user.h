/* SPDX-License-Identifier: MIT */
/*
 * A start that is cold, and whose plan of root's is carried out: the user's own plan is carried out as well, if we know that there is one
 * (headstartd/users/owners.h). A process of that user does it. A helper waits for it, with a place among those of this user.
 */
#pragma once

#include <stdint.h>

#include "headstartd/carry/carry.h"
#include "learn/late.h"

void for_user_begin(struct carry *carry, const struct late *late, uint64_t exec);
