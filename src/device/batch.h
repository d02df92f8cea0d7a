/* SPDX-License-Identifier: MIT */
/*
 * How long it takes to read many places of a disk in one batch, by what the disk was measured to be.
 *
 * Reads that a disk serves at once share their latency. A disk with a head serves one after the other, each with its
 * way; so the places are added in the order in which they will be read.
 */
#pragma once

#include "device/model.h"

#define DEVICE_BATCH_NOWHERE UINT64_MAX /* a place that is not known, or does not matter */

struct device_batch {
	uint64_t waiting_us, passing_us;
	uint64_t head; /* bytes: the end of the place before; DEVICE_BATCH_NOWHERE at the beginning */
};

#define DEVICE_BATCH_INIT ((struct device_batch){.head = DEVICE_BATCH_NOWHERE})

/* Adds a contiguous place. The model has bytes_per_ms and depth, both not 0. */
void device_batch_add(struct device_batch *batch, const struct device_model *model, uint64_t disk_size,
	uint64_t place, uint64_t bytes);

/* What the batch takes. A disk with a head does not move it while bytes arrive. */
uint64_t device_batch_us(const struct device_batch *batch, bool with_head);
