/* SPDX-License-Identifier: MIT */
/*
 * Installations on a machine, one after the other: one that fails would else remove the library for 32-bit programs that
 * the line of another needs.
 *
 * What is locked is a file that only its owner can open, or users could hold up the removal for ever. The lock ends with the
 * process, at the latest.
 */
#pragma once

struct turn {
	const char *folder; /* borrowed: with the lock in it, "FOLDER/lock" */
	int lock;           /* owned; -1: not taken */
};

#define TURN_NONE ((struct turn){.lock = -1})

/*
 * Waits for the turn of this process, after calling `waits`, which may be NULL, if another has it. `folder`, absolute, and
 * those above it are made for it, mode 0755. Returns 0, or negative errno where there can be no lock: the disk is full, or
 * read-only.
 */
int turn_take(struct turn *turn, const char *folder, void (*waits)(void));

/* Ends a turn that was taken, and removes the folder, and the one above it, where they are empty. */
void turn_end(struct turn *turn);
