/* SPDX-License-Identifier: MIT */
/* Recognizes documents: regular files that an argument names, or the value of --option=FILE. */
#include "plan/asked/documents.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/paths/stranger.h"
#include "base/strings.h"

static bool may_look(const char *name, int folder, bool of_root)
{
	struct stranger stranger;

	return *name && (!of_root || stranger_find_unasked_at(folder, name, &stranger) == 0);
}

/* Writes the canonical path of a file that may be a document. */
static bool find_document(const char *name, int folder, bool of_root, char path[PATH_MAX])
{
	_cleanup_close_ int fd =
		may_look(name, folder, of_root) ? openat(folder, name, O_PATH | O_CLOEXEC) : -1;
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && !(status.st_mode & 0111) &&
		path_of_fd(fd, path) == 0;
}

/* Libraries that are given as arguments (java, LD_PRELOAD-like options) are often not executable. */
static bool is_object(const struct profile *recording, const char *path)
{
	for (size_t i = 0; i < recording->n_files; i++)
		if (streq(recording->files[i].path, path))
			return recording->files[i].build_id_size > 0;
	return false;
}

void documents_leave_out(struct profile *recording, const struct asked *asked, int folder, bool of_root)
{
	char path[PATH_MAX];

	if (asked->role == 'c')
		return; /* what follows belongs to another program */
	for (size_t i = (size_t)asked->number + 1; i < recording->n_arguments; i++) {
		const char *name = recording->arguments[i], *equals = strchr(name, '=');

		if (name[0] == '-')
			name = equals ? equals + 1 : "";
		if (find_document(name, folder, of_root, path) && !is_object(recording, path) &&
			!(recording->asked_path && streq(recording->asked_path, path)))
			profile_leave_out(recording, path);
	}
}
