/* SPDX-License-Identifier: MIT */
/* The record of what was placed. */
#include "place/record.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "replace/publish.h"

#define HEAD "headstart placed 1"
#define END  "end"

void place_record_release(struct place_record *record)
{
	for (size_t i = 0; i < record->n_programs; i++)
		free(record->programs[i]);
	for (size_t i = 0; i < record->n_files; i++) {
		free(record->files[i].path);
		free(record->files[i].extents);
	}
	free(record->programs);
	free(record->files);
	string_index_release(&record->index);
	*record = (struct place_record){0};
}

static bool is_path(const char *path)
{
	return path[0] == '/' && strlen(path) < PATH_MAX && !strchr(path, '\n');
}

int place_record_add_program(struct place_record *record, const char *path)
{
	char *copy;

	if (!is_path(path))
		return -EINVAL;
	for (size_t i = 0; i < record->n_programs; i++)
		if (streq(record->programs[i], path))
			return 0;
	if (ARRAY_RESERVE(record->programs, record->programs_capacity, record->n_programs + 1) < 0)
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	record->programs[record->n_programs++] = copy;
	return 0;
}

/* The index only remembers what the files say, so a lookup leaves the record as it is. */
int place_record_find(const struct place_record *record, const char *path, struct placed_file **ret)
{
	ssize_t place = string_index_find((struct string_index *)&record->index, record->files,
		sizeof(*record->files), record->n_files, path);

	if (place < 0 && place != -ENOENT)
		return (int)place;
	*ret = place < 0 ? NULL : &record->files[place];
	return 0;
}

int place_record_add_file(
	struct place_record *record, const char *path, uint64_t inode, struct placed_file **ret)
{
	char *copy;
	int r;

	if (!is_path(path))
		return -EINVAL;
	r = place_record_find(record, path, ret);
	if (r < 0)
		return r;
	if (*ret && (*ret)->inode == inode)
		return 0;
	if (*ret) {
		(*ret)->n_extents = 0;
		(*ret)->inode = inode;
		return 0;
	}
	if (record->n_files >= PLACE_FILES_MAX)
		return -EFBIG;
	if (ARRAY_RESERVE(record->files, record->files_capacity, record->n_files + 1) < 0)
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	record->files[record->n_files] = (struct placed_file){.path = copy, .inode = inode};
	*ret = &record->files[record->n_files++];
	return 0;
}

int placed_file_add(struct placed_file *file, uint64_t offset, uint64_t length, uint64_t physical)
{
	if (length > INT64_MAX || offset > INT64_MAX - length || physical > INT64_MAX - length)
		return -EINVAL;
	if (ARRAY_RESERVE(file->extents, file->extents_capacity, file->n_extents + 1) < 0)
		return -ENOMEM;
	file->extents[file->n_extents++] = (struct device_extent){offset, length, physical};
	return 0;
}

void place_record_remove(struct place_record *record, size_t index)
{
	free(record->files[index].path);
	free(record->files[index].extents);
	record->files[index] = record->files[--record->n_files];
	string_index_release(&record->index);
}

/* A decimal number, of which nothing else comes before `end`. Moves *text behind that. */
static bool take_number(char **text, char end, bool negative, int64_t least, uint64_t *ret)
{
	char *stop;

	if (!(negative && **text == '-') && (**text < '0' || **text > '9'))
		return false;
	errno = 0;
	*ret = negative ? (uint64_t)strtoll(*text, &stop, 10) : strtoull(*text, &stop, 10);
	if (errno || *stop != end || (int64_t)*ret < least)
		return false;
	*text = stop + (end != '\0');
	return true;
}

static int take_file(char *line, struct place_record *record)
{
	struct placed_file *file = NULL;
	uint64_t inode, size, mtime;
	int r;

	if (!take_number(&line, ' ', false, INT64_MIN, &inode) || !take_number(&line, ' ', false, 0, &size) ||
		!take_number(&line, ' ', true, INT64_MIN, &mtime))
		return -EBADMSG;
	r = place_record_find(record, line, &file);
	if (r == 0)
		r = file ? -EBADMSG : place_record_add_file(record, line, inode, &file);
	if (r < 0)
		return r;
	file->size = size;
	file->mtime = (int64_t)mtime;
	return 0;
}

static int take_extent(char *line, struct place_record *record)
{
	struct placed_file *file = record->n_files ? &record->files[record->n_files - 1] : NULL;
	uint64_t offset, length, physical;

	if (!file || !take_number(&line, ' ', false, 0, &offset) ||
		!take_number(&line, ' ', false, 1, &length) || !take_number(&line, '\0', false, 0, &physical))
		return -EBADMSG;
	return placed_file_add(file, offset, length, physical);
}

static int take_line(char *line, struct place_record *record)
{
	char *rest;
	int r = -EBADMSG;

	if ((rest = (char *)after_prefix(line, "program ")))
		r = place_record_add_program(record, rest);
	else if ((rest = (char *)after_prefix(line, "file ")))
		r = take_file(rest, record);
	else if ((rest = (char *)after_prefix(line, "extent ")))
		r = take_extent(rest, record);
	return r == -EINVAL || r == -EFBIG ? -EBADMSG : r;
}

int place_record_parse(char *text, size_t size, struct place_record *ret)
{
	_cleanup_(place_record_releasep) struct place_record record = {0};
	char *rest = text, *line;

	if (strlen(text) != size)
		return -EBADMSG;
	line = strsep(&rest, "\n");
	if (!streq(line, HEAD))
		return -EBADMSG;
	while ((line = strsep(&rest, "\n")) && !streq(line, END)) {
		int r = take_line(line, &record);

		if (r < 0)
			return r;
	}
	if (!line || rest != text + size)
		return -EBADMSG;
	*ret = record;
	record = (struct place_record){0};
	return 0;
}

int place_record_load(const char *path, struct place_record *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_file(path, PLACE_RECORD_MAX, &text, &size);

	if (r == -ENOENT) {
		*ret = (struct place_record){0};
		return 0;
	}
	return r < 0 ? r : place_record_parse(text, size, ret);
}

static void print(FILE *out, const struct place_record *record)
{
	fputs(HEAD "\n", out);
	for (size_t i = 0; i < record->n_programs; i++)
		fprintf(out, "program %s\n", record->programs[i]);
	for (size_t i = 0; i < record->n_files; i++) {
		const struct placed_file *file = &record->files[i];

		fprintf(out, "file %" PRIu64 " %" PRIu64 " %" PRId64 " %s\n", file->inode, file->size,
			file->mtime, file->path);
		for (size_t j = 0; j < file->n_extents; j++)
			fprintf(out, "extent %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", file->extents[j].offset,
				file->extents[j].length, file->extents[j].physical);
	}
	fputs(END "\n", out);
}

int place_record_save(const struct place_record *record, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out;
	int failed;

	if (record->n_programs == 0 && record->n_files == 0)
		return unlink(path) < 0 && errno != ENOENT ? -errno : publish_sync(path);
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	print(out, record);
	failed = ferror(out);
	if (fclose(out) != 0 || failed)
		return -ENOMEM;
	return size > PLACE_RECORD_MAX ? -EFBIG : publish_file(path, 0600, text, size);
}
