/* SPDX-License-Identifier: MIT */
/* Keeps the note of what a recording has switched off (base/texts/read-ahead-note.h). */
#pragma once

#include <stddef.h>

#include "base/texts/read-ahead-note.h"

/*
 * Reads the note that a recorder left which was killed together with its guard. The caller must hold the lock that
 * permits one recording at a time. The caller frees *ret. Returns 0, -ENOENT, -EPERM for a note that others than root
 * could have written, or negative errno.
 */
int left_note_read(struct read_ahead **ret, size_t *ret_n);

/* Writes the note and locks it. Returns a descriptor that holds the lock, or negative errno. */
int left_note_write(const struct read_ahead *devices, size_t n);

void left_note_remove(void);
