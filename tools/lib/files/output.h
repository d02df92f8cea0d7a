/* SPDX-License-Identifier: MIT */
/* The file that the user told a verb to write. */
#pragma once

#include <sys/types.h>

/*
 * Checks, before the work is done, whether `path` can be published (replace/publish.h). Publishing replaces what is there,
 * so that must not be a device, a FIFO or a folder. Returns 0, or an exit status after printing the reason.
 */
int output_check(const char *path);

/* What is written from now on tells of this file: it is for nobody who may not read that. */
void output_tells_of(const char *input);

/* The mode of a file that the user told a verb to write: by the umask, and by what it tells of; 0644 at most. */
mode_t output_mode(void);
