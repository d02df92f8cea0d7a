/* SPDX-License-Identifier: MIT */
/* Opens and checks the files of a plan. */
#include "prefetch/planned-file.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/times.h"

/* Bytes of directory entries: in a larger directory programs look names up, but do not list it. */
#define DIRECTORY_MAX (1u << 20)

static int in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

int planned_file_check(const struct plan_file *file, int fd, uint64_t *ret_size)
{
	struct stat st;

	if (LE32(file->kind) != PLAN_REGULAR) {
		*ret_size = 0;
		return 0;
	}
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!plan_file_is_fresh(file, (uint64_t)st.st_size, nanoseconds(st.st_mtim)))
		return -ESTALE;
	if (in_memory(fd))
		return -ENODATA;
	*ret_size = (uint64_t)st.st_size;
	return 0;
}

int planned_file_open(const struct plan_view *plan, uint32_t index, uint64_t *ret_size)
{
	const struct plan_file *file = &plan->files[index];
	_cleanup_close_ int fd = open_typed(plan_file_path(plan, index), plan_file_type(file), OPEN_NO_LINKS);
	int r;

	if (fd < 0)
		return fd;
	r = planned_file_check(file, fd, ret_size);
	return r < 0 ? r : TAKE_FD(fd);
}

void planned_file_load_names(const struct plan_file *file, int fd)
{
	char buffer[16384];
	size_t read = 0;
	ssize_t n;

	if (LE32(file->kind) == PLAN_SYMLINK)
		(void)!readlinkat(fd, "", buffer, sizeof(buffer));
	if (LE32(file->kind) != PLAN_DIRECTORY)
		return;
	while (read < DIRECTORY_MAX && (n = getdents64(fd, buffer, sizeof(buffer))) > 0)
		read += (size_t)n;
}

uint64_t planned_extent_range(const struct plan_view *plan, const struct plan_extent *extent,
	uint64_t file_size, uint64_t *ret_offset)
{
	uint64_t page_size = LE32(plan->header->page_size);
	uint64_t start = LE32(extent->page) * page_size;
	uint64_t length = LE32(extent->pages) * page_size; /* neither overflows: 32 bits by 32 bits */

	if (start >= file_size)
		return 0;
	*ret_offset = start;
	return length < file_size - start ? length : file_size - start;
}
