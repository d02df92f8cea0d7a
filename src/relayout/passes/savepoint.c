/* SPDX-License-Identifier: MIT */
/* Copies of what a pass is about to change. Tables only grow, so their size is enough to restore them. */
#include "relayout/passes/savepoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int savepoint_init(struct savepoint *ret, struct relayout_image *image)
{
	Elf64_Dyn *dynamic = calloc(image->n_dynamic + 1, sizeof(*dynamic));

	if (!dynamic)
		return -ENOMEM;
	if (image->n_dynamic > 0)
		memcpy(dynamic, image->dynamic, image->n_dynamic * sizeof(*dynamic));
	*ret = (struct savepoint){.image = image, .tables_size = image->tables_size, .dynamic = dynamic};
	return 0;
}

int savepoint_page(struct savepoint *save, uint64_t address)
{
	struct relayout_page *page = relayout_page_at(save->image, address);
	struct saved_page saved = {.page = page};

	if (!page)
		return -EFAULT;
	if (save->n_pages > 0 && save->pages[save->n_pages - 1].page == page)
		return 0;
	if (ARRAY_RESERVE(save->pages, save->capacity, save->n_pages + 1) < 0)
		return -ENOMEM;
	saved.was = *page;
	if (page->bytes) {
		saved.was.bytes = malloc(save->image->granule);
		if (!saved.was.bytes)
			return -ENOMEM;
		memcpy(saved.was.bytes, page->bytes, save->image->granule);
	}
	save->pages[save->n_pages++] = saved;
	return 0;
}

void savepoint_keep(struct savepoint *save)
{
	save->image = NULL;
}

static void go_back(struct savepoint *save)
{
	struct relayout_image *image = save->image;

	image->tables_size = save->tables_size;
	if (image->n_dynamic > 0)
		memcpy(image->dynamic, save->dynamic, image->n_dynamic * sizeof(*image->dynamic));
	/* Restores the last copy first: a page may have been saved twice. */
	for (size_t i = save->n_pages; i > 0; i--) {
		struct saved_page *saved = &save->pages[i - 1];

		free(saved->page->bytes);
		*saved->page = saved->was;
		saved->was.bytes = NULL;
	}
}

void savepoint_release(struct savepoint *save)
{
	if (save->image)
		go_back(save);
	for (size_t i = 0; i < save->n_pages; i++)
		free(save->pages[i].was.bytes);
	free(save->pages);
	free(save->dynamic);
}
