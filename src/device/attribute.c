/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "device/block.h"

int block_attribute(const char *folder, const char *attribute, char value[BLOCK_ATTRIBUTE_MAX])
{
	_cleanup_free_ char *data = NULL;
	char path[PATH_MAX];
	size_t size;
	int r;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, attribute) >= sizeof(path))
		return -ENAMETOOLONG;
	r = read_pseudo_file(path, BLOCK_ATTRIBUTE_MAX - 1, &data, &size);
	if (r < 0)
		return r;
	data[strcspn(data, "\n")] = '\0';
	strcpy(value, data);
	return 0;
}
