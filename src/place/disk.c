/* SPDX-License-Identifier: MIT */
/* The files and starts of one file system. */
#include "place/disk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void place_file_release(struct place_file *file)
{
	free(file->path);
	free(file->extents);
	free(file->reason);
	place_runs_release(&file->hot);
	place_runs_release(&file->code);
	place_runs_release(&file->placed);
	place_runs_release(&file->moved);
	*file = (struct place_file){0};
}

void place_disk_release(struct place_disk *disk)
{
	for (size_t i = 0; i < disk->n_files; i++)
		place_file_release(&disk->files[i]);
	for (size_t i = 0; i < disk->n_starts; i++)
		free(disk->starts[i].touches);
	free(disk->files);
	free(disk->starts);
	free(disk->folder);
	free(disk->refusal);
	place_area_release(&disk->area);
	*disk = (struct place_disk){.area = PLACE_NO_AREA};
}

void place_set(struct place_file *file, enum place_status status, const char *format, ...)
{
	va_list arguments;
	char *reason = NULL;

	va_start(arguments, format);
	if (vasprintf(&reason, format, arguments) < 0)
		reason = NULL;
	va_end(arguments);
	free(file->reason);
	file->reason = reason;
	file->status = status;
}

/*
 * Files that more programs share come first, and files of the same programs lie together: a start reads them in few ways. Among
 * these, in the order of their first touch, which is that of the indices.
 */
static int compare(const void *a, const void *b, void *context)
{
	const struct place_disk *disk = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct place_file *one = &disk->files[x], *other = &disk->files[y];

	if (one->programs != other->programs)
		return one->programs > other->programs ? -1 : 1;
	if (one->sharers != other->sharers)
		return one->sharers > other->sharers ? -1 : 1;
	return (x > y) - (x < y);
}

size_t *place_order(const struct place_disk *disk)
{
	size_t *order = calloc(disk->n_files + 1, sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < disk->n_files; i++)
		order[i] = i;
	if (disk->n_files > 1)
		qsort_r(order, disk->n_files, sizeof(*order), compare, (void *)disk);
	return order;
}
