/* SPDX-License-Identifier: MIT */
/*
 * Pass: moves the rest of DT_RELA into the tables, which are read for the program headers anyway. It keeps the order:
 * linkers group relocations by symbol for the loader's one-entry look-up cache, and put IRELATIVE last.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "format/note.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/reloc-table.h"
#include "relayout/passes/savepoint.h"

static uint64_t pages_of(const struct relayout_image *image, uint64_t address, uint64_t size)
{
	return (address + size - 1) / image->granule - address / image->granule + 1;
}

static int refuse(struct pass_outcome *ret, const char *refusal)
{
	*ret = (struct pass_outcome){.refusal = refusal};
	return 0;
}

/* Moves the table wholly or not at all. Returns 0, -ENOMEM, -EFBIG or -ENOSPC. */
static int move(struct relayout_image *image, struct reloc_table *table)
{
	_cleanup_(savepoint_release) struct savepoint save = {0};
	int r;

	r = savepoint_init(&save, image);
	if (r == 0)
		r = reloc_table_move(table, 0, image);
	if (r == 0)
		savepoint_keep(&save);
	return r;
}

int pass_relocs(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret)
{
	_cleanup_(reloc_table_releasep) struct reloc_table table = {0};
	uint64_t address, size;
	const char *refusal;
	int r;

	if (image->passes & NOTE_PASS_RELOCS)
		return refuse(ret, "the object's relocations were moved when some of them were packed");
	r = reloc_table_read(&table, image, &refusal);
	if (r == -EOPNOTSUPP)
		return refuse(ret, refusal);
	if (r < 0)
		return r;
	if (table.n_entries == 0)
		return refuse(ret, "the object has no relocations in DT_RELA");
	r = move(image, &table);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return refuse(ret, "the object has too many relocations");
	size = (table.n_entries + table.n_plt) * sizeof(Elf64_Rela);
	relayout_image_cool(image, table.address, size);
	image->passes |= NOTE_PASS_RELOCS;
	relayout_dynamic_get(image, DT_RELA, &address);
	*ret = (struct pass_outcome){
		.done = true,
		.before = pages_of(image, table.address, size),
		.after = pages_of(image, address, size),
	};
	return 0;
}
