/* SPDX-License-Identifier: MIT */
/* What the daemon that runs says of itself (base/texts/daemon-note.h). */
#pragma once

#include <stdint.h>

/* The note, malloc()ed. NULL: no daemon runs. */
char *note_read(void);

/* A number of the note; 0 if it is not there. */
uint64_t note_number(const char *note, const char *name);
