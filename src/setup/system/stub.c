/* SPDX-License-Identifier: MIT */
/* Makes a link to the stub where $LIB leads. */
#include "setup/system/stub.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "replace/publish.h"

#define STUB HEADSTART_PRIVATE_DIR "/i386/libheadstart-preload.so"

/* The folder of a path; the caller frees it. NULL if memory runs out. */
static char *folder_of(const char *path)
{
	return strndup(path, (size_t)(strrchr(path, '/') - path));
}

int stub_place(const struct loader *loader, const char *path, bool *ret_placed)
{
	_cleanup_free_ char *folder = folder_of(path);
	struct stat st;
	int r;

	*ret_placed = false;
	if (loader->kind.class != ELFCLASS32 || loader->kind.machine != EM_386 || lstat(path, &st) == 0 ||
		access(STUB, R_OK) < 0)
		return 0;
	if (!folder)
		return -ENOMEM;
	r = make_folders(folder, 0755);
	if (r < 0)
		return r;
	if (symlink(STUB, path) < 0)
		return -errno;
	*ret_placed = true;
	r = publish_sync(path);
	return r < 0 ? r : publish_sync(folder);
}

void stub_remove(const char *path)
{
	_cleanup_free_ char *folder = folder_of(path);
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n > 0) {
		target[n] = '\0';
		if (streq(target, STUB))
			(void)unlink(path);
	}
	if (folder)
		(void)rmdir(folder); /* stays if others have put something into it */
}
