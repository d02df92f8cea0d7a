/* SPDX-License-Identifier: MIT */
#include "relaid.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/write.h"

/* A small generator of our own, so that the same seed gives the same numbers with every libc. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Runs of hot pages, of random length and in random order, over about a third of each segment. */
static void touch_pages(struct relayout_image *image, unsigned seed)
{
	uint32_t state = seed;

	for (size_t i = 0; i < image->n_segments; i++) {
		struct relayout_segment *segment = &image->segments[i];

		for (size_t page = 0; page < segment->n_pages;) {
			size_t n = 1 + next(&state) % 4;
			uint32_t order = next(&state) % 100000;
			bool hot = next(&state) % 3 == 0;

			for (; n > 0 && page < segment->n_pages; n--, page++)
				if (hot && !segment->pages[page].pinned)
					segment->pages[page].order = order++;
		}
	}
}

static int run_passes(struct relayout_image *image, uint32_t passes)
{
	const struct pass_options options = {.max_segments = 40, .loader_knows_relr = true, .passes = passes};
	struct pass_outcome outcome;
	int r = 0;

	if (passes & NOTE_PASS_RELR)
		r = pass_relr(image, &options, &outcome);
	if (r == 0 && (passes & NOTE_PASS_RELOCS))
		r = pass_relocs(image, &options, &outcome);
	if (r == 0)
		r = relayout_dynamic_store(image);
	return r < 0 ? r : pass_hot(image, &options, &outcome);
}

static int write_out(const uint8_t *original, size_t size, const struct relayout_output *output,
	uint8_t **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = memfd_create("relaid", MFD_CLOEXEC);
	_cleanup_free_ uint8_t *data = malloc(output->size);
	int r;

	if (fd < 0 || !data)
		return fd < 0 ? -errno : -ENOMEM;
	r = write_full(fd, original, size);
	if (r == 0)
		r = relayout_output_write(output, fd);
	if (r < 0)
		return r;
	if (pread(fd, data, output->size, 0) != (ssize_t)output->size)
		return -EIO;
	*ret = TAKE_PTR(data);
	*ret_size = output->size;
	return 0;
}

int relaid_make(const uint8_t *original, size_t size, uint32_t passes, unsigned seed, uint8_t **ret,
	size_t *ret_size, const char **ret_reason)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_(relayout_image_releasep) struct relayout_image image = {0};
	_cleanup_(relayout_output_releasep) struct relayout_output output = {0};
	int r;

	r = elf_view_init(&view, original, size, ret_reason);
	if (r == 0)
		r = relayout_image_init(&image, &view, ret_reason);
	if (r < 0)
		return r;
	if (passes & NOTE_PASS_HOT)
		touch_pages(&image, seed);
	r = run_passes(&image, passes);
	if (r == 0)
		r = relayout_output_init(&output, &image, seed, ret_reason);
	return r < 0 ? r : write_out(original, size, &output, ret, ret_size);
}
