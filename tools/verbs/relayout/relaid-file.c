/* SPDX-License-Identifier: MIT */
#include "verbs/relayout/relaid-file.h"

#include <errno.h>

#include "base/files/io.h"
#include "base/files/open.h"
#include "verb.h"

#define FILE_MAX ((size_t)8 << 30) /* bytes */

int relaid_file_open(const char *path, int *ret_fd)
{
	int fd = open_regular(path, 0);

	if (fd == -EINVAL || fd == -EISDIR)
		return verb_fail("'%s' is not a regular file", path);
	if (fd < 0)
		return verb_fail_errno(fd, "cannot read '%s'", path);
	*ret_fd = fd;
	return 0;
}

int relaid_file_read(int fd, const char *path, uint8_t **ret_data, size_t *ret_size)
{
	char *data;
	int r = read_open_file(fd, FILE_MAX, &data, ret_size);

	if (r == -EFBIG)
		return verb_fail("'%s' is too large", path);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	*ret_data = (uint8_t *)data;
	return 0;
}
