/* SPDX-License-Identifier: MIT */
/* Finds the functions that callgrind names in the symbols of their files. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/string-index.h"
#include "base/strings.h"
#include "elf/identity.h"
#include "order/callgrind.h"
#include "order/image.h"

struct file {
	const char *path;         /* borrowed; comes first: by_path */
	struct order_image image; /* owned; without functions: it cannot be used */
	bool *called;             /* owned; of each function of the image, the first at its address */
	bool *named;              /* owned; of each name, its first place in by_name: it was met */
	size_t object;            /* in the profile's functions */
};

struct files {
	struct file *items; /* owned */
	size_t n, capacity;
	struct string_index by_path;
};

static void files_releasep(struct files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		order_image_release(&files->items[i].image);
		free(files->items[i].called);
		free(files->items[i].named);
	}
	free(files->items);
	string_index_release(&files->by_path);
}

/* Reads the functions of a file. Returns 0, also if there are none, or -ENOMEM. */
static int read_file_of(struct file *file, const char *debug_folder, struct profile_functions *functions)
{
	_cleanup_close_ int fd = file->path[0] == '/' ? open_regular(file->path, 0) : -EINVAL;
	uint8_t id[PROFILE_BUILD_ID_MAX] = {0};
	const char *problem;
	size_t size = 0;
	int r;

	if (fd < 0)
		return 0;
	r = order_image_read(fd, debug_folder, &file->image, &problem);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	file->called = calloc(file->image.n_functions + 1, sizeof(*file->called));
	file->named = calloc(file->image.n_functions + 1, sizeof(*file->named));
	if (!file->called || !file->named)
		return -ENOMEM;
	if (elf_build_id(fd, id, sizeof(id), &size) < 0)
		size = 0;
	return profile_functions_add_object(
		functions, file->path, id, size < sizeof(id) ? size : sizeof(id), &file->object);
}

static int find_file(struct files *files, const char *path, const char *debug_folder,
	struct profile_functions *functions, struct callgrind_summary *summary, struct file **ret)
{
	ssize_t known =
		string_index_find(&files->by_path, files->items, sizeof(*files->items), files->n, path);
	int r;

	if (known == -ENOMEM)
		return -ENOMEM;
	if (known >= 0) {
		*ret = &files->items[known];
		return 0;
	}
	r = ARRAY_RESERVE(files->items, files->capacity, files->n + 1);
	if (r < 0)
		return r;
	*ret = &files->items[files->n++];
	**ret = (struct file){.path = path};
	r = read_file_of(*ret, debug_folder, functions);
	if (r == 0 && (*ret)->image.n_functions == 0 && path[0] == '/' && summary->unread++ == 0)
		summary->first_unread = path;
	return r;
}

/* Of a function that calls itself over others, callgrind makes several: NAME'2. */
static size_t length_of(const char *name)
{
	const char *quote = strrchr(name, '\'');

	return quote && quote[1] && quote[strspn(quote + 1, "0123456789") + 1] == 0 ? (size_t)(quote - name)
										    : strlen(name);
}

/* The first function of that name in by_name, or n_functions. */
static size_t find_name(const struct order_image *image, const struct order_function *wanted)
{
	return ARRAY_BISECT(i, image->n_functions, order_name_compare(image->by_name[i], wanted) < 0);
}

/* The first function at the same address. */
static size_t first_alias(const struct order_image *image, const struct order_function *function)
{
	return ARRAY_BISECT(i, image->n_functions, image->functions[i].address < function->address);
}

/* Returns whether there are functions of that name, or negative errno. They are gone through once, however often it is met. */
static int add_named(struct file *file, const char *name, struct profile_functions *functions)
{
	const struct order_image *image = &file->image;
	const struct order_function wanted = {.name = name, .name_length = (uint32_t)length_of(name)};
	size_t first = find_name(image, &wanted);

	if (first == image->n_functions || order_name_compare(image->by_name[first], &wanted) != 0)
		return false;
	if (file->named[first])
		return true;
	file->named[first] = true;
	for (size_t i = first; i < image->n_functions && order_name_compare(image->by_name[i], &wanted) == 0;
		i++) {
		size_t at = first_alias(image, image->by_name[i]);
		int r;

		if (file->called[at])
			continue;
		file->called[at] = true;
		r = profile_functions_add_call(functions, file->object, image->by_name[i]->address, NULL);
		if (r < 0)
			return r;
	}
	return true;
}

int callgrind_functions(const struct callgrind *callgrind, const char *debug_folder,
	struct profile_functions *functions, const char **ret_program, struct callgrind_summary *ret)
{
	_cleanup_(files_releasep) struct files files = {0};

	*ret = (struct callgrind_summary){0};
	*ret_program = NULL;
	for (size_t i = 0; i < callgrind->n_functions; i++) {
		const struct callgrind_function *function = &callgrind->functions[i];
		struct file *file;
		int r;

		if (!function->name)
			continue;
		r = find_file(&files, function->object, debug_folder, functions, ret, &file);
		if (r == 0 && file->image.n_functions > 0)
			r = add_named(file, function->name, functions);
		if (r < 0)
			return r;
		ret->unknown += r == 0 && file->image.n_functions > 0;
		if (r > 0 && streq(function->name, "main") && !*ret_program)
			*ret_program = file->path;
	}
	profile_functions_finish(functions);
	return 0;
}
