/* SPDX-License-Identifier: MIT */
/* Finds the settings files that count, and checks whether they can be trusted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/paths/stranger.h"
#include "config/config.h"
#include "config/parse.h"
#include "config/trusted.h"

#define FILE_MAX (256u << 10)

const char *path_variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

/* NULL if this user has none. The caller frees it. */
static char *user_file(void)
{
	const char *folder = path_variable("XDG_CONFIG_HOME"), *home = path_variable("HOME");
	char *path = NULL;
	int n = 0;

	if (geteuid() == 0)
		return NULL;
	if (folder)
		n = asprintf(&path, "%s/headstart/headstart.conf", folder);
	else if (home)
		n = asprintf(&path, "%s/.config/headstart/headstart.conf", home);
	return n < 0 ? NULL : path;
}

const char *read_trusted(const char *path, bool must_exist, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	struct stat st;
	int r;

	if ((fd == -ENOENT || fd == -ENOTDIR) && !must_exist)
		return NULL;
	if (fd == -EISDIR || fd == -EINVAL)
		return "it is not a regular file";
	if (fd < 0)
		return strerror(-fd);
	if (fstat(fd, &st) < 0)
		return strerror(errno);
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return "others could have written it: it must belong to root or the user, and nobody else "
		       "may write to it";
	r = read_to_end(fd, FILE_MAX, ret, ret_size);
	return r == -EFBIG ? "it is too large" : r < 0 ? strerror(-r) : NULL;
}

unsigned config_read_file(
	struct config *config, const char *path, bool must_exist, config_problem *tell, void *context)
{
	_cleanup_free_ char *text = NULL, *name = strdup(path);
	size_t size = 0;
	const char *why = read_trusted(path, must_exist, &text, &size);

	if (!why && !name)
		why = strerror(ENOMEM);
	if (why && tell)
		tell(context, path, 0, why);
	if (why || !text || config->n_files == CONFIG_FILES_MAX)
		return why != NULL;
	config->files[config->n_files++] = TAKE_PTR(name);
	return config_parse(config, text, size, tell, context);
}

unsigned config_read_system(struct config *ret, config_problem *tell, void *context)
{
	const char *named = path_variable("HEADSTART_CONFIG");
	struct stranger stranger;
	unsigned problems = 0;

	*ret = (struct config){0};
	if (named && stranger_to_us(named, &stranger) == -EPERM) {
		if (tell)
			tell(context, named, 0,
				"others could have written it: it and the folders above it must belong to "
				"root, and nobody else may write to them");
		named = NULL;
		problems = 1;
	}
	return problems + config_read_file(ret, named ? named : CONFIG_SYSTEM, false, tell, context);
}

unsigned config_read(struct config *ret, config_problem *tell, void *context)
{
	unsigned problems = config_read_system(ret, tell, context);
	_cleanup_free_ char *own = path_variable("HEADSTART_CONFIG") ? NULL : user_file();

	return own ? problems + config_read_file(ret, own, false, tell, context) : problems;
}
