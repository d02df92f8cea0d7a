/* SPDX-License-Identifier: MIT */
/* The file system that shows the modelled disk as one file, disk.img. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "model.h"
#include "store.h"

/*
 * Mounts at `mountpoint` and serves until a signal (SIGINT, SIGTERM, SIGHUP) or an unmount ends it. Calls
 * ready(), on a thread of its own, once the file answers at the model's speed. Returns 0 or negative errno.
 *
 * `log`, which may be NULL and is the caller's, receives a line for each read at the model's speed, in the order of the
 * answers: when it arrived, when the model completes it, when it was answered (all in ns of CLOCK_MONOTONIC), its
 * offset, and its size in bytes. This allows checking a model even on a busy machine.
 */
int slowdisk_serve(const struct model *model, struct store *store, uint64_t seed, const char *mountpoint,
	FILE *log, void (*ready)(void));
