/* SPDX-License-Identifier: MIT */
/*
 * libdwfl knows how separate debug files are named. It is told the build-id and never sees the stripped file;
 * its finder by build-id, unlike its standard one, does not ask debuginfod servers.
 */
#include "order/debug-file.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/identity.h"

#define BUILD_ID_MAX 64 /* bytes */

static void dwfl_endp(Dwfl **dwfl)
{
	dwfl_end(*dwfl);
}

static int find(const uint8_t *build_id, size_t size, char *folder)
{
	const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_build_id_find_debuginfo,
		.debuginfo_path = &folder,
	};
	_cleanup_(dwfl_endp) Dwfl *dwfl = dwfl_begin(&callbacks);
	_cleanup_free_ char *path = NULL;
	Dwfl_Module *module;
	int fd;

	if (!dwfl)
		return -ENOMEM;
	dwfl_report_begin(dwfl);
	module = dwfl_report_module(dwfl, "", 0, 1);
	if (!module || dwfl_module_report_build_id(module, build_id, size, 0) < 0)
		return -ENOMEM;
	dwfl_report_end(dwfl, NULL, NULL);
	fd = dwfl_build_id_find_debuginfo(module, NULL, NULL, 0, NULL, NULL, 0, &path);
	return fd < 0 ? -ENOENT : fd;
}

int debug_file_open(const uint8_t *build_id, size_t size, const char *folder)
{
	_cleanup_free_ char *path = strdup(folder ? folder : "/usr/lib/debug");
	_cleanup_close_ int fd = -1;
	uint8_t found[BUILD_ID_MAX];
	size_t found_size;

	if (!path)
		return -ENOMEM;
	fd = find(build_id, size, path);
	if (fd < 0)
		return fd;
	if (elf_build_id(fd, found, sizeof(found), &found_size) < 0 || found_size != size ||
		memcmp(found, build_id, size) != 0)
		return -ENOENT;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	return TAKE_FD(fd);
}
