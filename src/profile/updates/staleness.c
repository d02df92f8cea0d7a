/* SPDX-License-Identifier: MIT */
/* Identifies the files of a profile, and compares them with the files on disk. */
#include "profile/updates/staleness.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/times.h"
#include "elf/identity.h"

static bool is_kind(mode_t mode, enum profile_kind kind)
{
	switch (kind) {
	case PROFILE_REGULAR:
		return S_ISREG(mode);
	case PROFILE_DIRECTORY:
		return S_ISDIR(mode);
	case PROFILE_SYMLINK:
		return S_ISLNK(mode);
	}
	return false;
}

/* The build-id of the regular file at path; size 0 if it has none. */
static int read_build_id(const char *path, uint8_t id[PROFILE_BUILD_ID_MAX], size_t *ret_size)
{
	_cleanup_close_ int fd = open_regular(path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
	int r;

	if (fd < 0)
		return fd;
	r = elf_build_id(fd, id, PROFILE_BUILD_ID_MAX, ret_size);
	if (r == -ENOEXEC || r == -ENODATA) {
		*ret_size = 0;
		return 0;
	}
	return r;
}

int profile_file_identify(struct profile_file *file)
{
	uint8_t id[PROFILE_BUILD_ID_MAX] = {0};
	size_t id_size = 0;
	struct stat st;
	int r;

	if (lstat(file->path, &st) < 0)
		return -errno;
	if (!is_kind(st.st_mode, file->kind))
		return -EINVAL;
	if (file->kind == PROFILE_REGULAR) {
		r = read_build_id(file->path, id, &id_size);
		if (r < 0)
			return r;
	}
	file->size = (uint64_t)st.st_size;
	file->mtime = nanoseconds(st.st_mtim);
	memcpy(file->build_id, id, sizeof(id));
	file->build_id_size = id_size;
	return 0;
}

enum profile_staleness profile_file_staleness(const struct profile_file *file, int same_machine)
{
	uint8_t id[PROFILE_BUILD_ID_MAX];
	size_t id_size;
	struct stat st;

	if (lstat(file->path, &st) < 0 || !is_kind(st.st_mode, file->kind))
		return PROFILE_GONE;
	if (file->kind != PROFILE_REGULAR)
		return PROFILE_FRESH;
	if ((uint64_t)st.st_size != file->size)
		return PROFILE_CHANGED;
	if (file->build_id_size == 0)
		return same_machine && nanoseconds(st.st_mtim) != file->mtime ? PROFILE_CHANGED
									      : PROFILE_FRESH;
	if (read_build_id(file->path, id, &id_size) < 0 || id_size != file->build_id_size ||
		memcmp(id, file->build_id, id_size) != 0)
		return PROFILE_CHANGED;
	return PROFILE_FRESH;
}
