/* SPDX-License-Identifier: MIT */
/*
 * How long a start waits for its own reads, and how long it waits for its plan to be carried out.
 *
 * On a disk with a head it is better to wait than to pull the head to and fro (docs/decisions/when-the-program-waits.md).
 * But the wait is never longer than the waits that it replaces: those of the start that reads the same pages by itself,
 * one after the other, each with what the kernel reads ahead. If the plan takes longer than that, because others use
 * the disk or because it is not what it was, the program goes on.
 *
 * If nothing is known of a disk but what a hypervisor says, the program does not wait.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "plan/build/draft.h"
#include "plan/build/time/cost.h"

#define WINDOW_BYTES (128u << 10) /* what the kernel reads around a fault: its default of read_ahead_kb */
#define WAIT_MIN_MS  1u
#define WAIT_MAX_MS  30000u

/* A window of a file that a start reads as a whole when it first touches a page of it. */
struct window {
	uint32_t file, number;
	uint32_t order;    /* of that touch */
	uint64_t physical; /* bytes on the device; or DRAFT_NOWHERE */
};

struct windows {
	struct window *items; /* owned */
	size_t n, capacity;
};

static void windows_release(struct windows *windows)
{
	free(windows->items);
}

static int add_window(struct windows *windows, const struct window *window)
{
	struct window *last = windows->n ? &windows->items[windows->n - 1] : NULL;
	int r;

	if (last && last->file == window->file && last->number == window->number) {
		if (window->order < last->order)
			*last = *window;
		return 0;
	}
	r = ARRAY_RESERVE(windows->items, windows->capacity, windows->n + 1);
	if (r < 0)
		return r;
	windows->items[windows->n++] = *window;
	return 0;
}

static int add_windows(
	const struct plan_draft *draft, const struct draft_extent *extent, struct windows *windows)
{
	uint32_t size = WINDOW_BYTES / draft->profile->page_size, end = extent->page + extent->pages;

	if (size == 0)
		size = 1;
	for (uint32_t page = extent->page; page < end; page = (page / size + 1) * size) {
		struct window window = {
			extent->file, page / size, extent->order + (page - extent->page), DRAFT_NOWHERE};
		int r;

		if (extent->physical != DRAFT_NOWHERE)
			window.physical = extent->physical + draft_bytes(draft, page - extent->page);
		r = add_window(windows, &window);
		if (r < 0)
			return r;
		if (page / size == UINT32_MAX / size)
			break;
	}
	return 0;
}

/* In the order of pages, windows of several extents follow each other. */
static int compare_pages(const void *a, const void *b)
{
	const struct draft_extent *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

static int compare_orders(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Where a place is unknown, its way is taken to be short. */
static uint64_t alone_us(const struct plan_draft *draft, const struct windows *windows)
{
	uint64_t us = 0, head = DRAFT_NOWHERE;

	for (size_t i = 0; i < windows->n; i++) {
		const struct window *window = &windows->items[i];
		const struct device *device = draft_file_device(draft, window->file);
		const struct device_model model = plan_model_of(device);
		uint64_t distance = DEVICE_FAR;

		if (window->physical != DRAFT_NOWHERE && head != DRAFT_NOWHERE)
			distance =
				window->physical > head ? window->physical - head : head - window->physical;
		us += model.latency_us + device_model_way_us(&model, distance, device->size) +
			WINDOW_BYTES * UINT64_C(1000) / model.bytes_per_ms;
		head = window->physical == DRAFT_NOWHERE ? DRAFT_NOWHERE : window->physical + WINDOW_BYTES;
	}
	return us;
}

int draft_wait(struct plan_draft *draft)
{
	_cleanup_(windows_release) struct windows windows = {0};
	uint64_t ms;

	if (!draft->disk ||
		(!draft->disk->measured &&
			(draft->device != DEVICE_ROTATIONAL || device_is_guessed(draft->disk))))
		return 0;
	if (draft->n_extents > 1)
		qsort(draft->extents, draft->n_extents, sizeof(*draft->extents), compare_pages);
	for (size_t i = 0; i < draft->n_extents; i++) {
		int r = add_windows(draft, &draft->extents[i], &windows);

		if (r < 0)
			return r;
	}
	if (windows.n > 1)
		qsort(windows.items, windows.n, sizeof(*windows.items), compare_orders);
	ms = alone_us(draft, &windows) / 1000;
	draft->summary.alone_ms = draft->disk->measured ? ms : 0;
	if (draft->device != DEVICE_ROTATIONAL)
		return 0;
	draft->wait_ms = ms < WAIT_MIN_MS ? WAIT_MIN_MS : ms > WAIT_MAX_MS ? WAIT_MAX_MS : (uint32_t)ms;
	return 0;
}
