/* SPDX-License-Identifier: MIT */
#include "verbs/daemon/learnt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "plan/store/store.h"
#include "verb.h"

/* Returns 0 or negative errno: -ENOENT without a file. */
static int read_learnt(const char *name, size_t limit, char **ret_path, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *folder = NULL;
	int r = store_folder(&folder);

	if (r == 0 && asprintf(ret_path, "%s/learn/%s", folder, name) < 0)
		r = -ENOMEM;
	return r < 0 ? r : read_file(*ret_path, limit, ret_data, ret_size);
}

static int say_fault(enum records_fault fault, const char *path)
{
	if (fault == RECORDS_NEWER)
		return verb_fail("'%s' was written by a newer headstart", path);
	return fault == RECORDS_DAMAGED ? verb_fail("'%s' is damaged: the daemon begins it anew", path) : 0;
}

int learnt_known(struct known *ret)
{
	_cleanup_free_ char *path = NULL, *data = NULL;
	size_t size;
	int r = read_learnt("known", KNOWN_FILE_MAX, &path, &data, &size);

	if (r < 0)
		return r == -ENOENT ? 0 : verb_fail_errno(r, "cannot read what the daemon knows");
	return say_fault(known_parse(data, size, ret), path);
}

int learnt_habits(struct habits *ret, bool quiet)
{
	_cleanup_free_ char *path = NULL, *data = NULL;
	enum records_fault fault;
	size_t size;
	int r = read_learnt("habits", HABITS_FILE_MAX, &path, &data, &size);

	if (r < 0)
		return r == -ENOENT || quiet ? 0 : verb_fail_errno(r, "cannot read what the daemon knows");
	fault = habits_parse(data, size, ret);
	return quiet ? 0 : say_fault(fault, path);
}
