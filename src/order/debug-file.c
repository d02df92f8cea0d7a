/* SPDX-License-Identifier: MIT */
/*
 * The name of a separate debug file is made from the build-id (gdb's manual, "Debugging Information in Separate
 * Files"): the first byte names a folder, the rest the file.
 */
#include "order/debug-file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/open.h"
#include "elf/identity.h"

#define BUILD_ID_MAX 64 /* bytes */

/* Builds the path. Returns whether there is one. */
static bool path_of(const uint8_t *build_id, size_t size, const char *folder, char path[PATH_MAX])
{
	int at = snprintf(path, PATH_MAX, "%s/.build-id/", folder);

	if (size < 2 || size > BUILD_ID_MAX || (size_t)at + 2 * size + sizeof("/.debug") > PATH_MAX)
		return false;
	for (size_t i = 0; i < size; i++)
		at += sprintf(path + at, i == 0 ? "%02x/" : "%02x", build_id[i]);
	strcpy(path + at, ".debug");
	return true;
}

int debug_file_open(const uint8_t *build_id, size_t size, const char *folder)
{
	_cleanup_close_ int fd = -1;
	uint8_t found[BUILD_ID_MAX];
	char path[PATH_MAX];
	size_t found_size;

	if (!path_of(build_id, size, folder ? folder : "/usr/lib/debug", path))
		return -ENOENT;
	fd = open_regular(path, 0); /* follows links, because packages use them */
	if (fd < 0)
		return fd;
	if (elf_build_id(fd, found, sizeof(found), &found_size) < 0 || found_size != size ||
		memcmp(found, build_id, size) != 0)
		return -ENOENT;
	return TAKE_FD(fd);
}
