/* SPDX-License-Identifier: MIT */
/* The file system that shows the modelled disk as one file, disk.img. */
#pragma once

#include <stdint.h>

#include "model.h"
#include "store.h"

/*
 * Mounts at `mountpoint`, calls ready() once the kernel can send requests, and serves them until a signal (SIGINT,
 * SIGTERM, SIGHUP) or an unmount ends it. Returns 0 or negative errno.
 */
int slowdisk_serve(const struct model *model, struct store *store, uint64_t seed, const char *mountpoint,
	void (*ready)(void));
