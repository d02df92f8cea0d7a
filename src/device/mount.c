/* SPDX-License-Identifier: MIT */
/* One mount of mountinfo. */
#include "device/mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"

void mount_release(struct mount *mount)
{
	free(mount->root);
	free(mount->point);
	free(mount->type);
	free(mount->source);
	free(mount->options);
	*mount = (struct mount){0};
}

static int copy(const struct mountinfo *line, struct mount *ret)
{
	struct mount mount = {strdup(line->root), strdup(line->point), strdup(line->type),
		strdup(line->source), strdup(line->options)};

	if (!mount.root || !mount.point || !mount.type || !mount.source || !mount.options) {
		mount_release(&mount);
		return -ENOMEM;
	}
	*ret = mount;
	return 0;
}

int mount_find(const char *mountinfo, unsigned long long id, struct mount *ret)
{
	_cleanup_free_ char *data = NULL;
	struct mountinfo line;
	char *rest;
	size_t size;
	int r = read_pseudo_file(mountinfo, MOUNTINFO_MAX, &data, &size);

	if (r < 0)
		return r;
	rest = data;
	while ((r = mountinfo_next(&rest, &line)))
		if (r > 0 && line.id == id)
			return copy(&line, ret);
	return -ENOENT;
}
