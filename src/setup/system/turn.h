/* SPDX-License-Identifier: MIT */
/*
 * Makes installations on a machine take turns. Otherwise one that fails could remove the library for 32-bit programs
 * that another's line needs.
 *
 * The lock is on a file that only its owner can open, because other users could hold up the removal for ever. It ends
 * with the process, at the latest.
 */
#pragma once

struct turn {
	const char *folder; /* borrowed: has the lock in it, "FOLDER/lock" */
	int lock;           /* owned; -1: not held */
};

#define TURN_NONE ((struct turn){.lock = -1})

/*
 * Waits for this process's turn. If another process has it, calls `waits` first, which may be NULL. Makes `folder`, an
 * absolute path, and the folders above it, with mode 0755. Returns 0, or negative errno if there can be no lock: the
 * disk is full, or read-only.
 */
int turn_take(struct turn *turn, const char *folder, void (*waits)(void));

/* Ends a turn that was taken, and removes the folder, and the one above it, if they are empty. */
void turn_end(struct turn *turn);
