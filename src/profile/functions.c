/* SPDX-License-Identifier: MIT */
#include "profile/functions.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/strings.h"

static void object_release(struct profile_object *object)
{
	free(object->path);
	free(object->calls);
}

void profile_functions_free(struct profile_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->n_objects; i++)
		object_release(&functions->objects[i]);
	free(functions->objects);
	inode_map_release(&functions->by_name);
	free(functions);
}

static bool same_build(const struct profile_object *object, const uint8_t *build_id, size_t build_id_size)
{
	return object->build_id_size == build_id_size &&
		memcmp(object->build_id, build_id, build_id_size) == 0;
}

static uint64_t hash_of(const char *path, const uint8_t *build_id, size_t build_id_size)
{
	const uint64_t both[2] = {hash64(path, strlen(path)), hash64(build_id, build_id_size)};

	return hash64(both, sizeof(both));
}

static void forget_names(struct profile_functions *functions)
{
	inode_map_release(&functions->by_name);
	functions->indexed = 0;
}

/* *ret is INODE_MAP_NONE if there is none. Returns 0 or -ENOMEM. */
static int find_object(struct profile_functions *functions, const char *path, const uint8_t *build_id,
	size_t build_id_size, size_t *ret)
{
	const struct profile_object *objects = functions->objects;
	int r = 0;

	for (; r == 0 && functions->indexed < functions->n_objects; functions->indexed += r == 0) {
		const struct profile_object *object = &objects[functions->indexed];

		r = inode_map_add(&functions->by_name, 0,
			hash_of(object->path, object->build_id, object->build_id_size), functions->indexed);
	}
	*ret = inode_map_find(&functions->by_name, 0, hash_of(path, build_id, build_id_size));
	if (r < 0 || *ret == INODE_MAP_NONE)
		return r;
	/* Others may have the same hash. */
	for (size_t i = *ret; i < functions->n_objects; i++)
		if (same_build(&objects[i], build_id, build_id_size) && streq(objects[i].path, path)) {
			*ret = i;
			return 0;
		}
	*ret = INODE_MAP_NONE;
	return 0;
}

int profile_functions_add_object(struct profile_functions *functions, const char *path,
	const uint8_t *build_id, size_t build_id_size, size_t *ret_index)
{
	struct profile_object object = {.build_id_size = build_id_size};
	size_t known;
	int r;

	if (build_id_size > PROFILE_BUILD_ID_MAX)
		return -EINVAL;
	r = find_object(functions, path, build_id, build_id_size, &known);
	if (r == 0 && known != INODE_MAP_NONE)
		*ret_index = known;
	if (r < 0 || known != INODE_MAP_NONE)
		return r;
	r = ARRAY_RESERVE(functions->objects, functions->objects_capacity, functions->n_objects + 1);
	if (r < 0)
		return r;
	object.path = strdup(path);
	if (!object.path)
		return -ENOMEM;
	memcpy(object.build_id, build_id, build_id_size);
	*ret_index = functions->n_objects;
	functions->objects[functions->n_objects++] = object;
	return 0;
}

int profile_functions_add_call(struct profile_functions *functions, size_t object, uint64_t address,
	const struct profile_place *place)
{
	struct profile_object *to = &functions->objects[object];
	int r;

	if (functions->n_calls == UINT32_MAX)
		return -EOVERFLOW;
	r = ARRAY_RESERVE(to->calls, to->calls_capacity, to->n_calls + 1);
	if (r < 0)
		return r;
	to->calls[to->n_calls++] = (struct profile_call){
		address, functions->n_calls++, place ? *place : (struct profile_place){0}};
	return 0;
}

static int compare_calls(const void *a, const void *b)
{
	const struct profile_call *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void profile_functions_finish(struct profile_functions *functions)
{
	size_t kept = 0;

	for (size_t i = 0; i < functions->n_objects; i++) {
		struct profile_object *object = &functions->objects[i];

		if (object->n_calls == 0) {
			object_release(object);
			continue;
		}
		qsort(object->calls, object->n_calls, sizeof(*object->calls), compare_calls);
		functions->objects[kept++] = *object;
	}
	functions->n_objects = kept;
	forget_names(functions);
}

int profile_functions_leave_out(struct profile_functions *functions, size_t object)
{
	uint32_t *gone = calloc((size_t)functions->n_calls + 1, sizeof(*gone)), n = 0;
	struct profile_object *out = &functions->objects[object];

	if (!gone)
		return -ENOMEM;
	for (size_t i = 0; i < out->n_calls; i++)
		gone[out->calls[i].order] = 1;
	out->n_calls = 0;
	for (uint32_t i = 0; i < functions->n_calls; i++) {
		n += gone[i];
		gone[i] = n;
	}
	for (size_t i = 0; i < functions->n_objects; i++)
		for (size_t j = 0; j < functions->objects[i].n_calls; j++)
			functions->objects[i].calls[j].order -= gone[functions->objects[i].calls[j].order];
	functions->n_calls -= n;
	profile_functions_finish(functions);
	free(gone);
	return 0;
}

static bool object_good(const struct profile_object *object)
{
	if (!object->path || object->path[0] != '/' || strnlen(object->path, PATH_MAX) == PATH_MAX ||
		object->n_calls == 0)
		return false;
	for (size_t i = 0; i < object->n_calls; i++) {
		const struct profile_place *place = &object->calls[i].place;

		if (place->size > UINT32_MAX - place->offset ||
			(i > 0 && object->calls[i].address <= object->calls[i - 1].address))
			return false;
	}
	return true;
}

int profile_functions_check(const struct profile_functions *functions)
{
	_cleanup_free_ uint8_t *taken = calloc((size_t)functions->n_calls + 1, 1);
	uint64_t calls = 0;

	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < functions->n_objects; i++) {
		const struct profile_object *object = &functions->objects[i];

		if (!object_good(object))
			return -EINVAL;
		calls += object->n_calls;
		for (size_t j = 0; j < object->n_calls; j++) {
			uint32_t order = object->calls[j].order;

			if (order >= functions->n_calls || taken[order])
				return -EINVAL;
			taken[order] = 1;
		}
	}
	return calls == functions->n_calls ? 0 : -EINVAL;
}

const struct profile_object *profile_functions_of(
	const struct profile_functions *functions, const struct profile_file *file)
{
	for (size_t i = 0; functions && i < functions->n_objects; i++) {
		const struct profile_object *object = &functions->objects[i];

		if (same_build(object, file->build_id, file->build_id_size) &&
			(file->build_id_size > 0 || streq(object->path, file->path)))
			return object;
	}
	return NULL;
}

const struct profile_call *profile_object_find(const struct profile_object *object, uint64_t address)
{
	const struct profile_call wanted = {.address = address};

	return bsearch(&wanted, object->calls, object->n_calls, sizeof(*object->calls), compare_calls);
}

/* A function, and the index of its object. */
struct ordered {
	size_t object;
	const struct profile_call *call; /* borrowed */
};

/* The functions in the order of their first calls. The caller frees it; NULL if memory runs out. */
static struct ordered *in_order(const struct profile_functions *functions)
{
	struct ordered *ordered = calloc((size_t)functions->n_calls + 1, sizeof(*ordered));

	for (size_t i = 0; ordered && i < functions->n_objects; i++)
		for (size_t j = 0; j < functions->objects[i].n_calls; j++)
			ordered[functions->objects[i].calls[j].order] =
				(struct ordered){i, &functions->objects[i].calls[j]};
	return ordered;
}

/* Adds the objects of `from`. *ret_index, which the caller frees, has the place of each. */
static int add_objects(
	struct profile_functions *into, const struct profile_functions *from, size_t **ret_index)
{
	_cleanup_free_ size_t *index = calloc(from->n_objects + 1, sizeof(*index));
	int r = index ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < from->n_objects; i++)
		r = profile_functions_add_object(into, from->objects[i].path, from->objects[i].build_id,
			from->objects[i].build_id_size, &index[i]);
	if (r == 0)
		*ret_index = TAKE_PTR(index);
	return r;
}

int profile_functions_merge(struct profile_functions **into, const struct profile_functions *from)
{
	_cleanup_free_ struct ordered *ordered = NULL;
	_cleanup_free_ size_t *index = NULL, *known = NULL;
	int r;

	if (!from)
		return 0;
	if (!*into)
		*into = calloc(1, sizeof(**into));
	ordered = in_order(from);
	if (!*into || !ordered)
		return -ENOMEM;
	r = add_objects(*into, from, &index);
	if (r < 0)
		return r;
	/* What is added comes after what was known, which stays sorted meanwhile. */
	known = calloc((*into)->n_objects + 1, sizeof(*known));
	if (!known)
		return -ENOMEM;
	for (size_t i = 0; i < (*into)->n_objects; i++)
		known[i] = (*into)->objects[i].n_calls;
	for (uint32_t i = 0; r == 0 && i < from->n_calls; i++) {
		size_t object = index[ordered[i].object];
		struct profile_object before = (*into)->objects[object];

		before.n_calls = known[object];
		if (before.n_calls == 0 || !profile_object_find(&before, ordered[i].call->address))
			r = profile_functions_add_call(
				*into, object, ordered[i].call->address, &ordered[i].call->place);
	}
	profile_functions_finish(*into);
	return r;
}

int profile_functions_copy(const struct profile_functions *functions, struct profile_functions **ret)
{
	struct profile_functions *copy = NULL;
	int r = profile_functions_merge(&copy, functions);

	if (r < 0) {
		profile_functions_free(copy);
		return r;
	}
	*ret = copy;
	return 0;
}
