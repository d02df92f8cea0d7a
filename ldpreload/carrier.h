/* SPDX-License-Identifier: MIT */
/* Who carries out a plan: a prefetcher that is started here, or one that somebody has started before. */
#pragma once

#include "plan.h"

/*
 * For a plan of the program that this process or a child of it is about to execute: starts the prefetcher if pages of the plan
 * are missing and no other prefetcher of this user's carries it out. Waits for nothing but a small execve, and writes to no
 * memory but the stack.
 */
void carrier_serve_next(const char *program, const struct plan *plan);

/*
 * The same for the program that we are in. It sleeps, where its disk is better served so, until the prefetcher has ended or is
 * ten seconds old: a stuck one holds up a script that starts the program a hundred times no longer than one that starts it
 * once. A prefetcher of another user's, or not the one that this program would start, is not waited for.
 */
void carrier_serve_own(const char *program, const struct plan *plan);
