/* SPDX-License-Identifier: MIT */
/*
 * What reading costs on a device, and which gaps are therefore read. cost.c has the sources of the constants, which are
 * those of the class where the device was not measured.
 */
#pragma once

#include <stdint.h>

#include "device/device.h"

struct plan_cost {
	uint32_t seek_us;    /* microseconds for a read that does not continue the one before */
	uint32_t request_us; /* microseconds for any read */
	uint32_t bytes_per_ms;
	uint32_t queue; /* reads the device serves at once: a request's cost is divided by it */
};

struct plan_cost plan_cost_of(const struct device *device);

/* What was measured of the device, completed by what its class has. */
struct device_model plan_model_of(const struct device *device);

/* The largest gap, in pages, that is cheaper to read than to skip. */
uint32_t plan_cost_gap_pages(const struct plan_cost *cost, uint32_t page_size);

/* Pages that the device delivers during the latency of one request, at least 1. */
uint32_t plan_cost_chunk_pages(const struct plan_cost *cost, uint32_t page_size);
