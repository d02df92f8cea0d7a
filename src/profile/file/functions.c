/* SPDX-License-Identifier: MIT */
/* The functions of a recording as bytes (disk-layout.h). */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/reader.h"
#include "base/writer.h"
#include "format/endian.h"
#include "profile/file/disk-layout.h"
#include "profile/functions.h"

static int put_object(struct writer *writer, const struct profile_object *object)
{
	uint64_t base = object->calls[0].address;
	struct disk_object disk = {
		.base = LE64(base),
		.call_count = LE32(object->n_calls),
		.build_id_size = LE32(object->build_id_size),
	};

	memcpy(disk.build_id, object->build_id, object->build_id_size);
	writer_put(writer, &disk, sizeof(disk));
	writer_put_string(writer, object->path);
	for (size_t i = 0; i < object->n_calls; i++) {
		uint64_t offset = object->calls[i].address - base;
		const struct profile_place *place = &object->calls[i].place;
		struct disk_call call = {LE32(offset), LE32(object->calls[i].order), LE32(place->offset),
			LE32(place->size), LE32(place->name), LE32(place->lengths)};

		if (offset > UINT32_MAX)
			return -EFBIG;
		writer_put(writer, &call, sizeof(call));
	}
	return writer->error;
}

int profile_functions_serialize(const struct profile_functions *functions, void **ret_data, size_t *ret_size)
{
	_cleanup_(writer_releasep) struct writer writer = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < functions->n_objects; i++)
		r = put_object(&writer, &functions->objects[i]);
	if (r < 0)
		return r;
	*ret_size = writer.size;
	*ret_data = TAKE_PTR(writer.data);
	return 0;
}

static int read_calls(struct reader *reader, const struct disk_object *disk, struct profile_object *object,
	struct profile_functions *functions)
{
	uint32_t count = LE32(disk->call_count);
	const char *at = reader_take(reader, count, sizeof(struct disk_call));

	if (!at || count == 0 || object->n_calls > 0 || count > UINT32_MAX - functions->n_calls)
		return -EBADMSG;
	object->calls = calloc(count, sizeof(*object->calls));
	if (!object->calls)
		return -ENOMEM;
	object->n_calls = object->calls_capacity = count;
	functions->n_calls += count;
	for (uint32_t i = 0; i < count; i++) {
		struct disk_call call;

		memcpy(&call, at + i * sizeof(call), sizeof(call));
		if (__builtin_add_overflow(
			    LE64(disk->base), (uint64_t)LE32(call.offset), &object->calls[i].address))
			return -EBADMSG;
		object->calls[i].order = LE32(call.order);
		object->calls[i].place = (struct profile_place){
			LE32(call.place), LE32(call.size), LE32(call.name), LE32(call.lengths)};
	}
	return object->calls[0].address == LE64(disk->base) ? 0 : -EBADMSG;
}

/* After the build-id there is nothing. */
static bool build_id_good(const struct disk_object *disk)
{
	for (size_t i = LE32(disk->build_id_size); i < sizeof(disk->build_id); i++)
		if (disk->build_id[i] != 0)
			return false;
	return true;
}

static int read_object(struct reader *reader, struct profile_functions *functions)
{
	const char *at = reader_take(reader, 1, sizeof(struct disk_object)), *path;
	struct disk_object disk;
	size_t index;
	int r;

	if (!at)
		return -EBADMSG;
	memcpy(&disk, at, sizeof(disk));
	path = reader_string(reader);
	if (!path || !build_id_good(&disk))
		return -EBADMSG;
	r = profile_functions_add_object(functions, path, disk.build_id, LE32(disk.build_id_size), &index);
	if (r < 0)
		return r == -EINVAL ? -EBADMSG : r;
	return read_calls(reader, &disk, &functions->objects[index], functions);
}

int profile_functions_parse(const void *data, size_t size, struct profile_functions **ret)
{
	struct profile_functions *functions = calloc(1, sizeof(*functions));
	struct reader reader = {data, size};
	int r = functions ? 0 : -ENOMEM;

	while (r == 0 && reader.size > 0)
		r = read_object(&reader, functions);
	if (r == 0)
		r = profile_functions_check(functions);
	if (r < 0) {
		profile_functions_free(functions);
		return r == -EINVAL ? -EBADMSG : r;
	}
	*ret = functions;
	return 0;
}
