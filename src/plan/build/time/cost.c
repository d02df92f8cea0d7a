/* SPDX-License-Identifier: MIT */
/*
 * What reading costs on each class of device, and which gaps are therefore worth reading.
 *
 * A gap of n bytes is worth reading if that takes no longer than skipping it, which costs its share of a request, and
 * the seek if there is one.
 *
 *     n / bytes_per_ms  <=  seek_us + request_us / queue
 *
 * rotational: the model `hdd` (bench/slowdisk): 60 MB/s, 0.1 ms a request. Only the shortest seek counts, track to
 * track, about 1 ms: over a short distance the head waits while the gap passes under it, which takes as long as reading
 * it. The result is 64 KiB. On that model 42 MB in 1,039 runs with gaps of 96 KiB on average arrive in 2.51 s with no
 * gap read, 2.47 s with gaps up to 64 KiB (57 MB), 2.45 s up to 120 KiB (77 MB) and 2.45 s up to 452 KiB (128 MB): gaps
 * beyond 64 KiB only fill memory.
 *
 * solid, unknown: the model `cloud`: 125 MB/s, 0.8 ms a request, 64 at once. The result is no gap. On that model the
 * same pages take 0.343 s with no gap, 0.346 s up to 8 KiB, 0.385 s up to 32 KiB. Local flash has shorter requests and
 * more bandwidth in about the same proportion.
 *
 * A measured device has its own request_us, bytes_per_ms and queue.
 *
 * network: a Gigabit link's payload rate and 1 ms a request, 64 at once. Assumed, not measured. The result is no gap.
 */
#include "plan/build/time/cost.h"

static struct plan_cost cost_of_class(enum device_class class)
{
	switch (class) {
	case DEVICE_ROTATIONAL:
		return (struct plan_cost){
			.seek_us = 1000, .request_us = 100, .bytes_per_ms = 60000, .queue = 1};
	case DEVICE_NETWORK:
		return (struct plan_cost){
			.seek_us = 0, .request_us = 1000, .bytes_per_ms = 117000, .queue = 64};
	case DEVICE_MEMORY:
		return (struct plan_cost){.seek_us = 0, .request_us = 0, .bytes_per_ms = 1000000, .queue = 1};
	case DEVICE_SOLID:
	case DEVICE_LAZY:
	case DEVICE_UNKNOWN:
		break;
	}
	return (struct plan_cost){.seek_us = 0, .request_us = 800, .bytes_per_ms = 125000, .queue = 64};
}

struct plan_cost plan_cost_of(const struct device *device)
{
	struct plan_cost cost = cost_of_class(device->class);

	if (!device->measured)
		return cost;
	cost.request_us = device->model.latency_us;
	if (device->model.bytes_per_ms)
		cost.bytes_per_ms = device->model.bytes_per_ms;
	if (device->model.depth)
		cost.queue = device->model.depth;
	return cost;
}

/* A hard disk whose own figures are unknown has those of the model `hdd`: half a turn of the platter is in seek_us. */
struct device_model plan_model_of(const struct device *device)
{
	const struct plan_cost cost = plan_cost_of(device);
	struct device_model model = device->model;

	if (!device->measured && device->class == DEVICE_ROTATIONAL)
		model = (struct device_model){.seek_us = 7600, .stroke_us = 16000};
	model.latency_us = cost.request_us;
	model.bytes_per_ms = cost.bytes_per_ms;
	model.depth = cost.queue;
	return model;
}

static uint32_t pages_in(uint64_t microseconds, const struct plan_cost *cost, uint32_t page_size)
{
	uint64_t pages = microseconds * cost->bytes_per_ms / 1000 / page_size;

	return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

uint32_t plan_cost_gap_pages(const struct plan_cost *cost, uint32_t page_size)
{
	return pages_in((uint64_t)cost->seek_us + cost->request_us / cost->queue, cost, page_size);
}

/* On `cloud` 10,205 single pages in random order take 0.349 s apart, 0.344 s joined up to 24 pages. */
uint32_t plan_cost_chunk_pages(const struct plan_cost *cost, uint32_t page_size)
{
	uint32_t pages = pages_in(cost->request_us, cost, page_size);

	return pages > 0 ? pages : 1;
}
