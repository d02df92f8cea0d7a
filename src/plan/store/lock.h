/* SPDX-License-Identifier: MIT */
/* Turns of processes that change what is stored. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * Takes the turn to read recordings and to write what has become of them, or plans of all of them: of two processes that do so at
 * once, one would undo what the other did. Waits so long for the others of this user at most; the file is for nobody else to open. The
 * folder must exist. Returns a descriptor that ends the turn when it is closed; -EBUSY if others have the turn all that time: then the
 * caller must not go on; or negative errno: then there are no turns, and it may. A process must not take a second one.
 */
int store_lock_within(uint64_t milliseconds);

/* The process that has the turn; 0 if there is none, or it is not of our pid namespace; or negative errno. */
pid_t store_lock_holder(void);
