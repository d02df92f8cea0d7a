/* SPDX-License-Identifier: MIT */
#include "boot/files.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "format/state-folder.h"
#include "plan/store/store.h"
#include "replace/publish.h"

int boot_path(const char *name, char **ret)
{
	_cleanup_free_ char *state = NULL;
	char *path;
	int r = store_folder(&state);

	if (r < 0)
		return r;
	if (asprintf(&path, "%s/boot/%s", state, name) < 0)
		return -ENOMEM;
	*ret = path;
	return 0;
}

int boot_make_folder(const char *path)
{
	_cleanup_free_ char *folder = strdup(path), *state = strdup(path);
	int r;

	if (!folder || !state)
		return -ENOMEM;
	r = make_folders_for_all(dirname(dirname(state)));
	return r < 0 ? r : make_folders(dirname(folder), 0700);
}

int boot_open(const char *path)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return state_file_trusted(st.st_uid, st.st_mode, geteuid()) ? TAKE_FD(fd) : -EPERM;
}
