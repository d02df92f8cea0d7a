/* SPDX-License-Identifier: MIT */
/* The file system that shows the modelled disk as one file, disk.img. */
#pragma once

#include <stdint.h>

#include "model.h"
#include "store.h"

/*
 * Mounts at `mountpoint` and serves until a signal (SIGINT, SIGTERM, SIGHUP) or an unmount ends it. Calls
 * ready(), on a thread of its own, once the file answers at the model's speed. Returns 0 or negative errno.
 */
int slowdisk_serve(const struct model *model, struct store *store, uint64_t seed, const char *mountpoint,
	void (*ready)(void));
