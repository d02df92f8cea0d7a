/* SPDX-License-Identifier: MIT */
#include "relocs-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void fixture_open(struct fixture *fixture)
{
	const char *problem;

	assert_int_equal(elf_view_init(&fixture->view, (const uint8_t *)&fixture->object,
				 sizeof(fixture->object), &problem),
		0);
	assert_int_equal(relayout_image_init(&fixture->image, &fixture->view, &problem), 0);
	for (size_t i = 0; i < fixture->image.n_segments; i++)
		for (size_t page = 0; page < fixture->image.segments[i].n_pages; page++)
			fixture->image.segments[i].pages[page].order = (uint32_t)page;
	fixture->outcome = (struct pass_outcome){0};
	fixture->options = (struct pass_options){.loader_knows_relr = true};
}

void fixture_close(struct fixture *fixture)
{
	relayout_image_release(&fixture->image);
	elf_view_release(&fixture->view);
}

void assert_passes(struct fixture *fixture, pass_fn *pass)
{
	static uint8_t before[2][OBJECT_MEMORY], after[OBJECT_MEMORY];

	object_relocate(&fixture->image, false, before[0]);
	object_relocate(&fixture->image, true, before[1]);
	assert_int_equal(pass(&fixture->image, &fixture->options, &fixture->outcome), 0);
	assert_true(fixture->outcome.done);
	assert_null(fixture->outcome.refusal);
	for (unsigned lazy = 0; lazy < 2; lazy++) {
		object_relocate(&fixture->image, lazy, after);
		assert_memory_equal(after, before[lazy], OBJECT_MEMORY);
	}
}

static void append(uint8_t **bytes, size_t *size, const void *data, size_t n)
{
	*bytes = realloc(*bytes, *size + n + 1);
	assert_non_null(*bytes);
	if (n > 0)
		memcpy(*bytes + *size, data, n);
	*size += n;
}

uint8_t *image_bytes(const struct relayout_image *image, size_t *ret_size)
{
	uint8_t *bytes = NULL;

	*ret_size = 0;
	append(&bytes, ret_size, &image->passes, sizeof(image->passes));
	append(&bytes, ret_size, &image->tables_size, sizeof(image->tables_size));
	append(&bytes, ret_size, image->tables, image->tables_size);
	append(&bytes, ret_size, image->dynamic, image->n_dynamic * sizeof(*image->dynamic));
	for (size_t i = 0; i < image->n_segments; i++)
		for (size_t p = 0; p < image->segments[i].n_pages; p++) {
			const struct relayout_page *page = &image->segments[i].pages[p];

			append(&bytes, ret_size, &page->order, sizeof(page->order));
			append(&bytes, ret_size, page->bytes, page->bytes ? image->granule : 0);
		}
	return bytes;
}

void assert_refused(struct fixture *fixture, pass_fn *pass, const char *words)
{
	_cleanup_free_ uint8_t *before = NULL, *after = NULL;
	size_t size_before, size_after;
	bool knows = fixture->options.loader_knows_relr;

	fixture_open(fixture);
	fixture->options.loader_knows_relr = knows;
	before = image_bytes(&fixture->image, &size_before);
	assert_int_equal(pass(&fixture->image, &fixture->options, &fixture->outcome), 0);
	assert_false(fixture->outcome.done);
	assert_non_null(fixture->outcome.refusal);
	if (!strstr(fixture->outcome.refusal, words))
		fail_msg("'%s' instead of '%s'", fixture->outcome.refusal, words);
	after = image_bytes(&fixture->image, &size_after);
	assert_int_equal(size_before, size_after);
	assert_memory_equal(before, after, size_before);
	fixture_close(fixture);
}
