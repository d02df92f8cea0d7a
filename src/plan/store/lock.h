/* SPDX-License-Identifier: MIT */
/* Turns of processes that change what is stored. */
#pragma once

/*
 * Takes the turn to read recordings and to write what has become of them, or plans of all of them: of two processes that do so at
 * once, one would undo what the other did. Waits for the others of this user; the file is for nobody else to open. The folder must
 * exist. Returns a descriptor that ends the turn when it is closed; or negative errno: then there are no turns, and the caller may
 * go on. A process must not take a second one.
 */
int store_lock(void);
