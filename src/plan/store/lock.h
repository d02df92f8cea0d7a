/* SPDX-License-Identifier: MIT */
/* Turns of processes that change what is stored. */
#pragma once

#include <stdint.h>

/*
 * Takes the turn to read recordings and to write what has become of them, or plans of all of them: of two processes that do so at
 * once, one would undo what the other did. Waits for the others of this user; the file is for nobody else to open. The folder must
 * exist. Returns a descriptor that ends the turn when it is closed; or negative errno: then there are no turns, and the caller may
 * go on. A process must not take a second one.
 */
int store_lock(void);

/*
 * The same for a process that nobody is waiting for, and that must end: waits no longer than this. Returns -EBUSY if others have the turn all that
 * time; then the caller must not go on.
 */
int store_lock_within(uint64_t milliseconds);
