/* SPDX-License-Identifier: MIT */
#include "record/profiles/page-marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PIECE 64u /* pages */

static size_t find_piece(const struct page_marks *marks, size_t file, uint32_t page)
{
	return inode_map_find(&marks->by_place, (uint32_t)file, page / PIECE);
}

static int add_piece(struct page_marks *marks, size_t file, uint32_t page, size_t *ret)
{
	int r;

	if (marks->count == PAGE_MARKS_MAX)
		return -EFBIG;
	r = ARRAY_RESERVE(marks->pieces, marks->capacity, marks->count + 1);
	if (r == 0)
		r = inode_map_add(&marks->by_place, (uint32_t)file, page / PIECE, marks->count);
	if (r < 0)
		return r;
	*ret = marks->count++;
	memset(marks->pieces[*ret], 0, sizeof(marks->pieces[*ret]));
	return 0;
}

int page_marks_set(struct page_marks *marks, size_t file, uint32_t page, enum page_mark mark)
{
	size_t piece = find_piece(marks, file, page);
	int r = piece == INODE_MAP_NONE ? add_piece(marks, file, page, &piece) : 0;

	if (r == 0)
		marks->pieces[piece][mark] |= UINT64_C(1) << page % PIECE;
	return r;
}

bool page_marks_get(const struct page_marks *marks, size_t file, uint32_t page, enum page_mark mark)
{
	size_t piece = find_piece(marks, file, page);

	return piece != INODE_MAP_NONE && marks->pieces[piece][mark] >> page % PIECE & 1;
}

uint64_t page_marks_count(const struct page_marks *marks, enum page_mark mark, enum page_mark without)
{
	uint64_t count = 0;

	for (size_t i = 0; i < marks->count; i++)
		count += (unsigned)__builtin_popcountll(marks->pieces[i][mark] & ~marks->pieces[i][without]);
	return count;
}

void page_marks_release(struct page_marks *marks)
{
	inode_map_release(&marks->by_place);
	free(marks->pieces);
	*marks = (struct page_marks){0};
}
