/* SPDX-License-Identifier: MIT */
/* A disk image held in memory. It is read from there and written to a private copy: the file never changes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct store {
	uint8_t *data; /* the image as the device shows it; writes stay in this process */
	size_t size;   /* bytes */
	void *locked;  /* a second, shared mapping that keeps the image's page cache locked */
};

/*
 * Maps the regular file at `path` and brings all of it into memory. Its page cache is shared by every store
 * over the same image and locked where RLIMIT_MEMLOCK allows; where it does not, being mapped still keeps it
 * from drop_caches, though not from memory pressure. Returns 0, -EINVAL for what is not a regular file or is
 * empty, or negative errno.
 */
int store_open(struct store *store, const char *path);
void store_close(struct store *store);
