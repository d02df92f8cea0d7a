/* SPDX-License-Identifier: MIT */
/* Keeps the landmarks at the entries of called functions, by which they are found in another build. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "debug/symbols.h"
#include "elf/identity.h"
#include "profile/updates/carry.h"

/* The file is still the build whose functions were recorded. */
static bool is_build_of(const struct profile_object *object, int fd)
{
	uint8_t id[PROFILE_BUILD_ID_MAX];
	size_t size;

	if (elf_build_id(fd, id, sizeof(id), &size) < 0)
		size = 0;
	return size == object->build_id_size && memcmp(id, object->build_id, size) == 0;
}

static void keep_place(struct profile_place *place, const struct elf_landmarks *landmarks)
{
	size_t at = ARRAY_BISECT(i, landmarks->n_marks, landmarks->marks[i].offset < place->offset);

	for (size_t i = at; i < landmarks->n_marks && landmarks->marks[i].offset == place->offset; i++)
		*(elf_landmark_is_name(&landmarks->marks[i]) ? &place->name : &place->lengths) =
			landmarks->marks[i].key;
}

int profile_read_places(int fd, struct elf_landmarks *ret)
{
	_cleanup_(debug_symbols_releasep) struct debug_symbols symbols = {.fd = -1};
	int r = debug_symbols_open(fd, &symbols);

	if (r == -ENOMEM)
		return r;
	return elf_landmarks_read(fd, r == 0 ? &symbols.file : NULL, ret);
}

static void keep_places(struct profile_object *object)
{
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks landmarks = {0};
	_cleanup_close_ int fd = open_regular(object->path, OPEN_NO_LINKS);

	if (fd < 0 || !is_build_of(object, fd) || profile_read_places(fd, &landmarks) < 0)
		return;
	for (size_t i = 0; i < object->n_calls; i++)
		if (object->calls[i].place.size > 0)
			keep_place(&object->calls[i].place, &landmarks);
}

void profile_keep_places(struct profile_functions *functions)
{
	for (size_t i = 0; functions && i < functions->n_objects; i++)
		keep_places(&functions->objects[i]);
}
