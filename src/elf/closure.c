/* SPDX-License-Identifier: MIT */
/* The libraries of a program, breadth first as ld.so maps them (ld.so(8); elf/dl-load.c and
 * sysdeps/generic/dl-cache.h). */
#include "elf/closure.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "base/texts/preload-text.h"
#include "elf/needs.h"

#define CACHE_MAX   (16u << 20) /* bytes of ld.so.cache */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

/* A small file can ask for very many libraries, in very many folders, under names as many: one closure has some seconds for all of them. */
#define WORK_MAX  (1u << 20) /* looks for a name or a file */
#define READ_WORK 256u       /* what reading a file costs, in looks */

/* struct cache_file_new and file_entry_new. Offsets of strings are from the start of the file. */
struct cache_header {
	char magic[20];
	uint32_t n_entries, strings_size;
	uint8_t flags, padding[3];
	uint32_t extensions, unused[3];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path, os_version;
	uint64_t hwcap;
};

_Static_assert(sizeof(struct cache_header) == 48 && sizeof(struct cache_entry) == 24, "on-disk layout");

#if defined(__aarch64__)
static const char *const default_folders =
	"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
#define LIB_TOKEN "lib/aarch64-linux-gnu"
#else
static const char *const default_folders =
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
#define LIB_TOKEN "lib/x86_64-linux-gnu"
#endif

static int add_string(char ***list, size_t *n, size_t *capacity, const char *string)
{
	char *copy = strdup(string);
	int r = copy ? ARRAY_RESERVE(*list, *capacity, *n + 1) : -ENOMEM;

	if (r < 0) {
		free(copy);
		return r;
	}
	(*list)[(*n)++] = copy;
	return 0;
}

static bool is_listed(char *const *list, size_t n, const char *string)
{
	for (size_t i = 0; i < n; i++)
		if (streq(list[i], string))
			return true;
	return false;
}

/* Whether there is time for this. */
static bool spend(struct elf_closure *closure, unsigned work)
{
	if (closure->work > WORK_MAX - work)
		return false;
	closure->work += work;
	return true;
}

/* Reads what the object at `path` needs, if there is one of this closure's machine. */
static int read_object(struct elf_closure *closure, const char *path, struct elf_needs *ret)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	char full[PATH_MAX];
	_cleanup_close_ int fd = -1;
	int r;

	if ((size_t)snprintf(full, sizeof(full), "%s%s", closure->root ? closure->root : "", path) >=
		sizeof(full))
		return -ENAMETOOLONG;
	if (!spend(closure, 1))
		return -ETIME;
	if (closure->may_look && !closure->may_look(full))
		return -EACCES;
	fd = open_regular(full, 0); /* follows links, as the loader does */
	if (fd < 0)
		return fd;
	if (!spend(closure, READ_WORK))
		return -ETIME;
	r = elf_needs_read(fd, &needs);
	if (r < 0)
		return r;
	if (needs.is_32bit || (closure->machine && needs.machine != closure->machine))
		return -ENOEXEC;
	*ret = needs;
	needs = (struct elf_needs){0};
	return 0;
}

/* Replaces $ORIGIN and $LIB in a path; false if it is not absolute, does not fit, or has an unknown token. */
static bool expand(const char *folder, size_t length, const char *origin, char path[PATH_MAX])
{
	const char *slash = strrchr(origin, '/');
	size_t at = 0;

	for (size_t i = 0; i < length;) {
		const char *text = folder + i;
		char one[2] = {folder[i], '\0'};
		size_t n;

		if (folder[i] != '$') {
			text = one, n = 1, i++;
		} else if (strncmp(text, "$ORIGIN", 7) == 0 || strncmp(text, "${ORIGIN}", 9) == 0) {
			i += text[1] == '{' ? 9 : 7;
			text = origin, n = slash ? (size_t)(slash - origin) : 0;
		} else if (strncmp(text, "$LIB", 4) == 0 || strncmp(text, "${LIB}", 6) == 0) {
			i += text[1] == '{' ? 6 : 4;
			text = LIB_TOKEN, n = strlen(LIB_TOKEN);
		} else {
			return false;
		}
		if (at + n >= PATH_MAX)
			return false;
		memcpy(path + at, text, n);
		at += n;
	}
	path[at] = '\0';
	return at > 0 && path[0] == '/';
}

static bool is_object(struct elf_closure *closure, const char *path)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};

	return is_listed(closure->paths, closure->n, path) || read_object(closure, path, &needs) == 0;
}

/* Looks through a list of folders, separated by colons or semicolons. */
static bool find_in(struct elf_closure *closure, const char *folders, const char *origin, const char *name,
	char path[PATH_MAX])
{
	while (folders && *folders) {
		size_t length = strcspn(folders, ":;"), at;

		if (expand(folders, length, origin, path)) {
			at = strlen(path);
			if ((size_t)snprintf(path + at, PATH_MAX - at, "/%s", name) < PATH_MAX - at &&
				is_object(closure, path))
				return true;
		}
		folders += length + (folders[length] != '\0');
	}
	return false;
}

/* The string at an offset of the cache, or NULL. */
static const char *cache_string(const struct elf_closure *closure, uint32_t at)
{
	if (at >= closure->cache_size || !memchr(closure->cache + at, '\0', closure->cache_size - at))
		return NULL;
	return closure->cache + at;
}

static bool find_in_cache(struct elf_closure *closure, const char *name, char path[PATH_MAX])
{
	struct cache_header header;

	if (closure->cache_size < sizeof(header))
		return false;
	memcpy(&header, closure->cache, sizeof(header));
	if (memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) != 0 ||
		!table_fits(
			sizeof(header), header.n_entries, sizeof(struct cache_entry), closure->cache_size))
		return false;
	for (uint32_t i = 0; i < header.n_entries; i++) {
		struct cache_entry entry;
		const char *at;

		memcpy(&entry, closure->cache + sizeof(header) + i * sizeof(entry), sizeof(entry));
		at = cache_string(closure, entry.name);
		if (!at || !streq(at, name))
			continue;
		at = cache_string(closure, entry.path);
		if (at && at[0] == '/' && strlen(at) < PATH_MAX && is_object(closure, at)) {
			strcpy(path, at);
			return true;
		}
	}
	return false;
}

static bool find_library(struct elf_closure *closure, const struct elf_needs *needs, const char *origin,
	const char *name, char path[PATH_MAX])
{
	if (strchr(name, '/'))
		return expand(name, strlen(name), origin, path) && is_object(closure, path);
	return (!needs->runpath && find_in(closure, needs->rpath, origin, name, path)) ||
		find_in(closure, closure->library_path, origin, name, path) ||
		find_in(closure, needs->runpath, origin, name, path) || find_in_cache(closure, name, path) ||
		find_in(closure, default_folders, origin, name, path);
}

/* Adds the object's static TLS, and appends the libraries that it needs to the list. */
static int follow(struct elf_closure *closure, size_t index)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	uint64_t tls;
	int r = read_object(closure, closure->paths[index], &needs);

	if (r < 0)
		return r;
	closure->machine = needs.machine;
	tls = static_tls_of(&needs);
	closure->static_tls = static_tls_add(closure->static_tls, tls);
	if (tls > closure->largest_tls) {
		free(closure->largest);
		closure->largest = strdup(closure->paths[index]);
		closure->largest_tls = tls;
	}
	for (size_t i = 0; i < needs.n_needed; i++) {
		char path[PATH_MAX];

		if (!spend(closure, 1))
			return 0;
		if (!find_library(closure, &needs, closure->paths[index], needs.needed[i], path)) {
			if (!is_listed(closure->missing, closure->n_missing, needs.needed[i]))
				r = add_string(&closure->missing, &closure->n_missing,
					&closure->missing_capacity, needs.needed[i]);
		} else if (!is_listed(closure->paths, closure->n, path) && closure->n < CLOSURE_MAX) {
			r = add_string(&closure->paths, &closure->n, &closure->capacity, path);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static void load_cache(struct elf_closure *closure)
{
	char path[PATH_MAX];

	if (closure->cache ||
		(size_t)snprintf(path, sizeof(path), "%s/etc/ld.so.cache",
			closure->root ? closure->root : "") >= sizeof(path))
		return;
	(void)read_file(path, CACHE_MAX, &closure->cache, &closure->cache_size);
}

int elf_closure_add(struct elf_closure *closure, const char *path)
{
	size_t first = closure->n;
	int r;

	if (is_listed(closure->paths, closure->n, path))
		return 0;
	load_cache(closure);
	r = add_string(&closure->paths, &closure->n, &closure->capacity, path);
	if (r < 0)
		return r;
	r = follow(closure, first);
	if (r < 0) {
		free(closure->paths[--closure->n]);
		return r;
	}
	for (size_t i = first + 1; i < closure->n; i++) {
		r = follow(closure, i);
		if (r == -ENOMEM)
			return r;
	}
	return 0;
}

static int add_preload(struct elf_closure *closure, const char *at, size_t length)
{
	_cleanup_free_ char *name = strndup(at, length);
	const struct elf_needs nothing = {0};
	char path[PATH_MAX];

	if (!name)
		return -ENOMEM;
	load_cache(closure);
	if (length == 0 || !find_library(closure, &nothing, "/", name, path))
		return 0;
	return elf_closure_add(closure, path) == -ENOMEM ? -ENOMEM : 0;
}

int elf_closure_add_preloads(struct elf_closure *closure, const char *variable, const char *text)
{
	const char *end = text ? text + strlen(text) : NULL;
	size_t length;
	int r = 0;

	while (r == 0 && variable && *variable) {
		length = strcspn(variable, " :");
		r = add_preload(closure, variable, length);
		variable += length + (variable[length] != '\0');
	}
	for (; r == 0 && text && (text = preload_text_next(text, end, &length)); text += length)
		r = add_preload(closure, text, length);
	return r;
}

void elf_closure_release(struct elf_closure *closure)
{
	for (size_t i = 0; i < closure->n; i++)
		free(closure->paths[i]);
	for (size_t i = 0; i < closure->n_missing; i++)
		free(closure->missing[i]);
	free(closure->paths);
	free(closure->missing);
	free(closure->largest);
	free(closure->cache);
	*closure = (struct elf_closure){0};
}
