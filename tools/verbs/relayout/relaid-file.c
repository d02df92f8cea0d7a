/* SPDX-License-Identifier: MIT */
#include "verbs/relayout/relaid-file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "verb.h"

#define FILE_MAX (8ll << 30) /* bytes */

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
	_cleanup_free_ uint8_t *data = NULL;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return verb_fail_errno(errno, "cannot read '%s'", path);
	if (st.st_size > FILE_MAX)
		return verb_fail("'%s' is too large", path);
	data = malloc((size_t)st.st_size + 1);
	if (!data)
		return verb_fail_errno(ENOMEM, "cannot read '%s'", path);
	n = read_full(fd, data, (size_t)st.st_size);
	if (n < 0)
		return verb_fail_errno((int)n, "cannot read '%s'", path);
	*ret_data = TAKE_PTR(data);
	*ret_size = (size_t)n;
	return 0;
}
