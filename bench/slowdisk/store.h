/* SPDX-License-Identifier: MIT */
/* A disk image in memory. Reads come from there, and writes go to a private copy: the file never changes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct store {
	uint8_t *data; /* the image as the device shows it; writes stay in this process */
	size_t size;   /* bytes */
	void *locked;  /* a second, shared mapping that keeps the image's page cache locked */
};

/*
 * Maps the regular file at `path` and reads all of it into memory. All stores of one image share its page cache, which
 * is locked if RLIMIT_MEMLOCK permits. If not, the mapping still protects it from drop_caches, but not from memory
 * pressure. Returns 0, -EINVAL if the file is empty or not regular, or negative errno.
 */
int store_open(struct store *store, const char *path);
void store_close(struct store *store);
