/* SPDX-License-Identifier: MIT */
#include "verbs/daemon/learnt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "plan/store/store.h"
#include "verb.h"

int learnt_read(const char *name, const struct records_format *format, void *content, bool quiet)
{
	_cleanup_free_ char *folder = NULL, *path = NULL, *data = NULL;
	enum records_fault fault;
	size_t size;
	int r = store_folder(&folder);

	if (r == 0 && asprintf(&path, "%s/learn/%s", folder, name) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = read_file(path, format->size_max, &data, &size);
	if (r < 0)
		return r == -ENOENT || quiet ? 0 : verb_fail_errno(r, "cannot read what the daemon knows");
	fault = records_parse(format, data, size, content);
	if (fault == RECORDS_GOOD || quiet)
		return 0;
	return fault == RECORDS_NEWER ? verb_fail("'%s' was written by a newer headstart", path)
				      : verb_fail("'%s' is damaged: the daemon begins it anew", path);
}
