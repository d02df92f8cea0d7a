/* SPDX-License-Identifier: MIT */
/* headstart plan --mark-stale */
#pragma once

/*
 * Marks this user's plans that name changed files, and prints their paths, also of those that were marked before.
 * Returns an exit status.
 */
int mark_plans(void);
