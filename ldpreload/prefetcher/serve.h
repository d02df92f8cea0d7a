/* SPDX-License-Identifier: MIT */
/* Sees to it that a plan is carried out: by a prefetcher that this process starts, or one that another has started. */
#pragma once

#include "plan/plan.h"

/*
 * For a program that this process or a child of it is about to execute: starts the prefetcher if pages of the plan are
 * missing and no other prefetcher of this user carries it out. Waits for nothing but a small execve, and writes only to
 * the stack.
 */
void serve_next(const char *program, const struct plan *plan);

/*
 * The same for the program that we are in. As long as the plan says at most, it sleeps until the prefetcher has ended
 * or is ten seconds old: that way a stuck prefetcher holds up a script that starts the program a hundred times no longer
 * than a script that starts it once. It does not wait for a prefetcher of another user, nor for an executable that it
 * would not start itself.
 */
void serve_own(const char *program, const struct plan *plan);
