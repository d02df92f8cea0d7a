/* SPDX-License-Identifier: MIT */
#include "relaid/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relaid/note.h"

int undo_prepare(const uint8_t *data, uint64_t size, struct undo *ret, const char **ret_problem)
{
	struct note_relaid note;
	int r;

	r = note_find(data, size, &note, ret_problem);
	if (r == 0)
		r = note_check_sums(data, size, &note, ret_problem);
	if (r < 0)
		return r;
	if (note.passes & NOTE_PASS_COMPACT) {
		*ret_problem =
			"was relaid with --compact, and does not contain its original: only a copy or its package gives that back";
		return -EOPNOTSUPP;
	}
	*ret = (struct undo){.size = note.original_size, .header = note_original_header(data, &note)};
	return 0;
}

int undo_copy(const uint8_t *data, const struct undo *undo, uint8_t **ret)
{
	uint8_t *copy = malloc(undo->size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, undo->size);
	memcpy(copy, &undo->header, sizeof(undo->header));
	*ret = copy;
	return 0;
}
