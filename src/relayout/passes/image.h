/* SPDX-License-Identifier: MIT */
/*
 * What the passes of a relayout work on: one ELF file, its virtual pages, and the tables to append.
 *
 * Invariants between passes:
 *  - nothing of the original moves and no virtual address changes; each page is mapped either from its old place or
 *    from a copy in the hot region;
 *  - a page whose bytes a pass changed is mapped from its copy, whatever its order;
 *  - the page at file offset 0 is pinned: it is never copied and never changed, because the kernel and ld.so read the
 *    ELF header there;
 *  - passes change dynamic entries only in `dynamic`, and relayout_dynamic_store() writes them into the copies of their
 *    pages.
 */
#pragma once

#include "elf/view.h"

#define RELAYOUT_COLD UINT32_MAX       /* not touched */
#define RELAYOUT_LAST (UINT32_MAX - 1) /* hot without having been touched */

struct relayout_page {
	uint32_t order; /* of its first touch, or RELAYOUT_COLD */
	bool pinned;    /* never copied and never changed; set with the image */
	bool left;      /* mapped from its old place, whatever its order; only pass_hot() sets this */
	bool joined;    /* in one PT_LOAD with the page before it, as far as possible (passes/whole.h) */
	uint8_t *bytes; /* owned: the changed copy, granule bytes; NULL while the page is unchanged */
};

/* Whether the page is mapped from a copy in the hot region. */
static inline bool relayout_page_is_hot(const struct relayout_page *page)
{
	return !page->pinned && !page->left && (page->order != RELAYOUT_COLD || page->bytes);
}

/* A PT_LOAD of the original and those of its pages that have content in the file. */
struct relayout_segment {
	Elf64_Phdr load;
	uint64_t address; /* of its first page: p_vaddr rounded down to the granule */
	uint64_t offset;  /* of that page in the file */
	size_t n_pages;
	struct relayout_page *pages; /* owned */
};

struct relayout_image {
	const struct elf_view *view; /* borrowed: the original */
	bool executable;             /* the kernel may load it */
	uint64_t granule; /* bytes of a page: the least p_align, at most the machine's largest page */
	struct relayout_segment *segments;
	size_t n_segments;
	Elf64_Dyn *dynamic; /* owned; as view->dynamic, with the changes of passes */
	size_t n_dynamic;
	/* The tables PT_LOAD: one read-only segment above all others. Both are multiples of the granule. */
	uint64_t tables_address;
	uint64_t tables_offset;
	uint8_t *tables; /* owned */
	size_t tables_size, tables_capacity;
	uint32_t passes;       /* enum note_pass bits of what has been done */
	size_t spare_segments; /* PT_LOADs that the cap leaves after pass_hot has chosen */
};

/*
 * Returns 0, -ENOMEM, or -EOPNOTSUPP for a file that no overlay can be made of, with *ret_problem, a static string that
 * follows the file's name ("has segments that overlap …").
 */
int relayout_image_init(struct relayout_image *ret, const struct elf_view *view, const char **ret_problem);
void relayout_image_release(struct relayout_image *image);

static inline void relayout_image_releasep(struct relayout_image *image)
{
	relayout_image_release(image);
}

/* The page of an address with file content, or NULL. Valid until release. */
struct relayout_page *relayout_page_at(const struct relayout_image *image, uint64_t address);

/* Reads bytes as the loader will map them now, changes included. Returns 0 or -EFAULT (not all in the file).
 */
int relayout_image_read(const struct relayout_image *image, uint64_t address, void *data, size_t size);

/*
 * Changes bytes. Returns 0, -ENOMEM, -EFAULT (not all in one segment's file content) or -EPERM (on the page at file
 * offset 0). Writing the bytes that are already there succeeds and changes nothing, even on that page.
 */
int relayout_image_write(struct relayout_image *image, uint64_t address, const void *data, size_t size);

/* Makes the pages that lie wholly inside the range cold, because nothing reads their bytes any more. */
void relayout_image_cool(struct relayout_image *image, uint64_t address, uint64_t size);

/* Appends a table to the tables segment; align is a power of two. Returns 0, -ENOMEM or -EFBIG. */
int relayout_image_add_table(
	struct relayout_image *image, const void *data, size_t size, size_t align, uint64_t *ret_address);

/* Dynamic entries. set: changes the first entry of the tag or uses a spare DT_NULL (one DT_NULL always stays
 * last). */
bool relayout_dynamic_get(const struct relayout_image *image, int64_t tag, uint64_t *ret_value);
int relayout_dynamic_set(struct relayout_image *image, int64_t tag, uint64_t value); /* 0 or -ENOSPC */
void relayout_dynamic_drop(struct relayout_image *image, int64_t tag); /* later entries move up */
size_t relayout_dynamic_spare(const struct relayout_image *image);     /* how many tags can still be added */

/* Whether changed entries can be written: the dynamic section does not lie on the page at file offset 0. */
bool relayout_dynamic_writable(const struct relayout_image *image);

/* Writes the entries that were changed into their pages. Returns 0, -ENOMEM or -EPERM. */
int relayout_dynamic_store(struct relayout_image *image);
