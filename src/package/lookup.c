/* SPDX-License-Identifier: MIT */
/* Sorts names of files, and keeps their owners. */
#include "package/lookup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"

/* Takes ownership of `path`, also on failure. */
static int add_name(struct lookup *lookup, char *path, size_t file)
{
	_cleanup_free_ char *owned = path;
	int r;

	if (!owned)
		return -ENOMEM;
	r = ARRAY_RESERVE(lookup->names, lookup->capacity, lookup->n_names + 1);
	if (r < 0)
		return r;
	lookup->names[lookup->n_names++] = (struct lookup_name){.path = TAKE_PTR(owned), .file = file};
	return 0;
}

/* Whether ROOT/TOP is a symbolic link to usr/TOP, for `top` of n bytes. */
static bool merged(const char *root, const char *top, int n)
{
	char link[PATH_MAX], target[PATH_MAX];
	ssize_t size;

	if (snprintf(link, sizeof(link), "%s/%.*s", root, n, top) >= (int)sizeof(link))
		return false;
	size = readlink(link, target, sizeof(target) - 1);
	if (size < 0)
		return false;
	target[size] = '\0';
	return after_prefix(target[0] == '/' ? target + 1 : target, "usr/") &&
		strncmp(strrchr(target, '/') + 1, top, (size_t)n) == 0 &&
		strlen(strrchr(target, '/') + 1) == (size_t)n;
}

/* /lib/x for /usr/lib/x and vice versa, if /lib is a link to it; else NULL. */
static char *other_name(const char *root, const char *path)
{
	const char *in_usr = after_prefix(path, "/usr/");
	const char *top = in_usr ? in_usr : path + 1;
	char *other;

	if (!merged(root, top, (int)strcspn(top, "/")))
		return NULL;
	return asprintf(&other, "%s/%s", in_usr ? "" : "/usr", top) < 0 ? NULL : other;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct lookup_name *)a)->path, ((const struct lookup_name *)b)->path);
}

int lookup_init(struct lookup *ret, const char *root, const char *const *paths, size_t n,
	struct package_owner *owners)
{
	*ret = (struct lookup){.root = root, .owners = owners};
	for (size_t i = 0; i < n; i++) {
		char *other;
		int r;

		if (paths[i][0] != '/' || strchr(paths[i], '\n'))
			return -EINVAL;
		r = add_name(ret, strdup(paths[i]), i);
		if (r < 0)
			return r;
		other = other_name(root, paths[i]);
		r = other ? add_name(ret, other, i) : 0;
		if (r < 0)
			return r;
	}
	if (ret->n_names > 0)
		qsort(ret->names, ret->n_names, sizeof(*ret->names), compare);
	return 0;
}

void lookup_release(struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->n_names; i++)
		free(lookup->names[i].path);
	free(lookup->names);
	*lookup = (struct lookup){0};
}

/* The first name that does not sort before `path`. */
static size_t lower_bound(const struct lookup *lookup, const char *path)
{
	return ARRAY_BISECT(i, lookup->n_names, strcmp(lookup->names[i].path, path) < 0);
}

bool lookup_wants(const struct lookup *lookup, const char *path)
{
	for (size_t i = lower_bound(lookup, path); i < lookup->n_names; i++) {
		if (!streq(lookup->names[i].path, path))
			return false;
		if (lookup->owners[lookup->names[i].file].manager == PACKAGE_NONE)
			return true;
	}
	return false;
}

static int copy_owner(struct package_owner *ret, const struct package_owner *owner)
{
	_cleanup_free_ char *package = strdup(owner->package), *path = strdup(owner->path);

	if (!package || !path)
		return -ENOMEM;
	*ret = *owner;
	ret->package = TAKE_PTR(package);
	ret->path = TAKE_PTR(path);
	return 0;
}

int lookup_claim(const struct lookup *lookup, const struct package_owner *owner)
{
	for (size_t i = lower_bound(lookup, owner->path); i < lookup->n_names; i++) {
		struct package_owner *of_file = &lookup->owners[lookup->names[i].file];
		int r;

		if (!streq(lookup->names[i].path, owner->path))
			break;
		r = of_file->manager == PACKAGE_NONE ? copy_owner(of_file, owner) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int lookup_unowned(const struct lookup *lookup, const char ***ret_names, size_t *ret_n)
{
	const char **names = malloc((lookup->n_names + 1) * sizeof(*names));
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < lookup->n_names; i++)
		if (lookup->owners[lookup->names[i].file].manager == PACKAGE_NONE)
			names[n++] = lookup->names[i].path;
	*ret_names = names;
	*ret_n = n;
	return 0;
}
