/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing, at most half full. Between two calls of profile_finish(), which throws the index
 * away, files are only appended. So a lookup only has to add the files that came since the last one.
 */
#include "profile/path-index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/strings.h"

struct path_index {
	size_t *slots;   /* place in files + 1, or 0 */
	size_t capacity; /* a power of two */
	size_t indexed;  /* files known so far */
};

void path_index_free(struct path_index *index)
{
	if (!index)
		return;
	free(index->slots);
	free(index);
}

/* The slot that holds the path, or the empty one where it belongs. */
static size_t *find_slot(const struct path_index *index, const struct profile_file *files, const char *path)
{
	size_t at = (size_t)checksum64(path, strlen(path)) & (index->capacity - 1);

	while (index->slots[at] && !streq(files[index->slots[at] - 1].path, path))
		at = (at + 1) & (index->capacity - 1);
	return &index->slots[at];
}

static int make_room(struct path_index *index, size_t n_files)
{
	size_t capacity = index->capacity ? index->capacity : 64;
	size_t *slots;

	if (n_files <= index->capacity / 2)
		return 0;
	while (capacity / 2 < n_files)
		capacity *= 2;
	slots = calloc(capacity, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(index->slots);
	*index = (struct path_index){.slots = slots, .capacity = capacity};
	return 0;
}

int path_index_find(struct profile *profile, const char *path, ssize_t *ret_found)
{
	struct path_index *index = profile->index;
	int r;

	if (!index) {
		index = calloc(1, sizeof(*index));
		if (!index)
			return -ENOMEM;
		profile->index = index;
	}
	r = make_room(index, profile->n_files + 1);
	if (r < 0)
		return r;
	for (; index->indexed < profile->n_files; index->indexed++)
		*find_slot(index, profile->files, profile->files[index->indexed].path) = index->indexed + 1;
	*ret_found = (ssize_t)*find_slot(index, profile->files, path) - 1;
	return 0;
}
