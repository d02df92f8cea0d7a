/* SPDX-License-Identifier: MIT */
#include "place/code.h"

#include <errno.h>

#include "base/cleanup.h"
#include "elf/file.h"

int place_code_find(int fd, uint32_t page_size, struct place_runs *ret)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem;
	int r = elf_file_open(&file, fd, &problem);

	if (r == 0)
		r = elf_file_take_phdrs(&file, &problem);
	for (size_t i = 0; r == 0 && i < file.n_phdrs; i++) {
		const Elf64_Phdr *segment = &file.phdrs[i];
		uint64_t from = segment->p_offset, end;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
			__builtin_add_overflow(from, segment->p_filesz, &end) || end > file.size)
			continue;
		r = place_runs_add(
			ret, from / page_size, (end + page_size - 1) / page_size - from / page_size);
	}
	return r == -ENOMEM ? r : 0;
}

const struct place_run *place_code_at(const struct place_runs *code, uint64_t page)
{
	for (size_t i = 0; i < code->n; i++)
		if (page >= code->items[i].page && page - code->items[i].page < code->items[i].pages)
			return &code->items[i];
	return NULL;
}

void place_code_window(const struct place_run *code, uint64_t page, uint64_t window, uint64_t unit,
	uint64_t *ret_from, uint64_t *ret_end)
{
	uint64_t from = page - page % unit, end = (from + window + unit - 1) / unit * unit;
	uint64_t last = (uint64_t)code->page + code->pages;

	*ret_from = from > code->page ? from : code->page;
	*ret_end = end < last ? end : last;
}
