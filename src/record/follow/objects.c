/* SPDX-License-Identifier: MIT */
#include "record/follow/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "elf/identity.h"

#define OBJECTS_MAX 65536u

int function_objects_init(
	struct function_objects *objects, const struct functions_choice *choice, struct touched *touched)
{
	*objects = (struct function_objects){.choice = *choice, .touched = touched};
	objects->met = calloc(choice->n_objects + 1, sizeof(*objects->met));
	objects->functions = calloc(1, sizeof(*objects->functions));
	if (objects->met && objects->functions)
		return 0;
	function_objects_release(objects);
	return -ENOMEM;
}

static void object_release(struct function_object *object)
{
	order_entries_release(&object->entries);
	free(object->original);
	free(object->read);
	free(object->called);
	*object = (struct function_object){0};
}

void function_objects_release(struct function_objects *objects)
{
	for (size_t i = 0; i < objects->n; i++)
		object_release(&objects->items[i]);
	free(objects->items);
	free(objects->met);
	inode_map_release(&objects->by_mapping);
	profile_functions_free(objects->functions);
	free(objects->unknown);
	*objects = (struct function_objects){0};
}

struct function_object *function_objects_find(
	const struct function_objects *objects, const struct page_mapping *mapping)
{
	size_t index = inode_map_find(&objects->by_mapping, mapping->device, mapping->inode);

	return index == INODE_MAP_NONE ? NULL : &objects->items[index];
}

/* A path is meant exactly; a name also without what follows a dot: libz.so.1 is libz.so.1.2.13. */
static bool is_meant(const char *object, const char *path)
{
	const char *slash = strrchr(path, '/'), *rest;

	if (object[0] == '/')
		return streq(object, path);
	rest = slash ? after_prefix(slash + 1, object) : NULL;
	return rest && (!*rest || *rest == '.');
}

static bool is_chosen(struct function_objects *objects, const char *path)
{
	bool chosen = objects->choice.n_objects == 0;

	for (size_t i = 0; i < objects->choice.n_objects; i++)
		if (is_meant(objects->choice.objects[i], path))
			chosen = objects->met[i] = true;
	return chosen;
}

int function_objects_open(const struct function_objects *objects, const struct follow_process *process,
	const struct page_mapping *mapping)
{
	_cleanup_close_ int fd = follow_process_open(objects->touched, process, mapping);
	struct stat status;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -EINVAL;
	return open_descriptor_again(fd, O_RDONLY);
}

/* What a breakpoint replaces is read when it is planted. */
static int make_room(struct function_object *object)
{
	size_t n = object->entries.n;

	object->original = calloc(n, sizeof(*object->original));
	object->read = calloc(n, 1);
	object->called = calloc(n, 1);
	if (!object->original || !object->read || !object->called)
		return -ENOMEM;
	for (size_t entry = 0; entry < n; entry++)
		object->original[entry] = BREAKPOINT;
	return 0;
}

/* Page tables do not say what was touched of code with breakpoints: planting touches it. */
static int hide_pages(struct function_objects *objects, const struct function_object *object)
{
	const struct order_entry *last = &object->entries.items[object->entries.n - 1];
	uint64_t page_size = objects->touched->page_size;

	return touched_hide(objects->touched, object->file, object->entries.items[0].offset / page_size,
		(last->offset + last->size - 1) / page_size);
}

static int note_unknown(struct function_objects *objects, const char *path)
{
	if (!objects->unknown)
		objects->unknown = strdup(path);
	objects->n_unknown++;
	return objects->unknown ? 0 : -ENOMEM;
}

/* Reads the functions of a chosen file. */
static int read_object(struct function_objects *objects, const struct follow_process *process,
	const struct page_mapping *mapping, struct function_object *object)
{
	_cleanup_close_ int fd = function_objects_open(objects, process, mapping);
	uint8_t id[PROFILE_BUILD_ID_MAX] = {0};
	const char *problem;
	size_t size = 0;
	int r;

	if (fd < 0)
		return fd == -ENOMEM ? fd : note_unknown(objects, mapping->path);
	if (!breakpoint_fits(fd))
		return note_unknown(objects, mapping->path);
	r = order_entries_read(fd, NULL, &object->entries, &problem);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || object->entries.n == 0)
		return note_unknown(objects, mapping->path);
	/* The same type of file that profile_file_identify() knows: without build-id, by its path. */
	if (elf_build_id(fd, id, sizeof(id), &size) < 0)
		size = 0;
	r = make_room(object);
	if (r == 0)
		r = profile_functions_add_object(objects->functions, mapping->path, id,
			size < sizeof(id) ? size : sizeof(id), &object->index);
	if (r == 0)
		r = follow_process_find_file(objects->touched, process, mapping, &object->file);
	return r < 0 ? r : hide_pages(objects, object);
}

int function_objects_add(struct function_objects *objects, const struct follow_process *process,
	const struct page_mapping *mapping, struct function_object **ret)
{
	struct function_object object = {0};
	int r = 0;

	*ret = function_objects_find(objects, mapping);
	if (*ret || objects->n == OBJECTS_MAX)
		return 0;
	r = ARRAY_RESERVE(objects->items, objects->capacity, objects->n + 1);
	if (r == 0 && mapping->path[0] == '/' && is_chosen(objects, mapping->path))
		r = read_object(objects, process, mapping, &object);
	if (r == 0)
		r = inode_map_add(&objects->by_mapping, mapping->device, mapping->inode, objects->n);
	if (r < 0) {
		object_release(&object);
		return r;
	}
	*ret = &objects->items[objects->n];
	objects->items[objects->n++] = object;
	return 0;
}

size_t function_object_entry(const struct function_object *object, uint64_t offset)
{
	return ARRAY_BISECT(i, object->entries.n, object->entries.items[i].offset < offset);
}

int function_objects_call(
	struct function_objects *objects, struct function_object *object, size_t entry, int32_t pid)
{
	const struct order_entry *called = &object->entries.items[entry];
	struct profile_place place = {0}; /* of what lies beyond 4 GiB nothing is known */
	uint64_t page_size = objects->touched->page_size;
	int r;

	if (object->called[entry])
		return 0;
	object->called[entry] = 1;
	if (range_fits(called->offset, called->size, UINT32_MAX))
		place = (struct profile_place){
			.offset = (uint32_t)called->offset, .size = (uint32_t)called->size};
	r = profile_functions_add_call(objects->functions, object->index, called->address, &place);
	if (r < 0)
		return r;
	return touched_pages(objects->touched, object->file, called->offset / page_size,
		(called->offset + called->size - 1) / page_size, pid, TOUCH_READ);
}

const char *function_objects_missing(const struct function_objects *objects, size_t n)
{
	for (size_t i = 0; i < objects->choice.n_objects; i++)
		if (!objects->met[i] && n-- == 0)
			return objects->choice.objects[i];
	return NULL;
}
