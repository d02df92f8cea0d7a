/* SPDX-License-Identifier: MIT */
/* Records of installations, STATE/install/NAME.json, and writing what they name. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/publish.h"
#include "base/strings.h"
#include "install.h"
#include "plan/store.h"
#include "stranger-refusal.h"
#include "verb.h"

#define APP_PREFIX "app-"
#define SUFFIX     ".json"

/* A name becomes part of file names, with more around it, and of lines in a script. */
static bool is_usable(const char *name)
{
	for (const char *at = name; *at; at++)
		if (iscntrl((unsigned char)*at))
			return false;
	return *name && *name != '.' && *name != '-' && strlen(name) < 128;
}

int record_name_of_app(const char *app, char **ret)
{
	const char *slash = strrchr(app, '/'), *base = slash ? slash + 1 : app;
	size_t length = strlen(base), ending = strlen(".desktop");

	if (!is_usable(base))
		return verb_fail("'%s' cannot be the name of a program or .desktop file", app);
	if (length > ending && streq(base + length - ending, ".desktop"))
		length -= ending;
	if (asprintf(ret, APP_PREFIX "%.*s", (int)length, base) < 0)
		return verb_fail_errno(ENOMEM, "cannot look for '%s'", app);
	return 0;
}

static int record_folder(char **ret)
{
	_cleanup_free_ char *state = NULL;
	int r = refuse_strange_state();

	if (r)
		return r;
	r = store_folder(&state);
	if (r == -ENOENT)
		return verb_fail(
			"there is no folder to keep a record of the installation in: HOME is not set");
	if (r < 0 || asprintf(ret, "%s/install", state) < 0)
		return verb_fail_errno(ENOMEM, "cannot find the state folder");
	return 0;
}

int record_path(const char *name, char **ret)
{
	_cleanup_free_ char *folder = NULL;
	int r = record_folder(&folder);

	if (r)
		return r;
	return asprintf(ret, "%s/%s" SUFFIX, folder, name) < 0
		? verb_fail_errno(ENOMEM, "cannot name '%s'", name)
		: 0;
}

int record_load(const char *path, struct manifest *ret)
{
	int r = manifest_load(path, ret);

	if (r == 0 || r == -ENOENT)
		return 0;
	if (r == -EBADMSG)
		return verb_fail("'%s' is not a record of an installation; move it away", path);
	return verb_fail_errno(r, "cannot read '%s'", path);
}

int record_each_app(int (*each)(void *context, const char *app), void *context)
{
	_cleanup_closedir_ DIR *folder = NULL;
	_cleanup_free_ char *path = NULL;
	struct dirent *entry;
	int r = record_folder(&path);

	if (r)
		return r;
	folder = opendir(path);
	while (r == 0 && folder && (entry = readdir(folder))) {
		const char *app = after_prefix(entry->d_name, APP_PREFIX);
		size_t length = app ? strlen(app) : 0;
		_cleanup_free_ char *name = NULL;

		if (length <= strlen(SUFFIX) || !streq(app + length - strlen(SUFFIX), SUFFIX))
			continue;
		name = strndup(app, length - strlen(SUFFIX));
		r = name ? each(context, name) : verb_fail_errno(ENOMEM, "cannot list what is installed");
	}
	return r;
}

static int in_the_way(const char *path, enum file_standing standing)
{
	if (standing == FILE_OTHER)
		return verb_fail("'%s' is not a regular file; nothing was written", path);
	return verb_fail(
		"'%s' was not written by headstart; --force replaces it until it is uninstalled "
		"(nothing was written)",
		path);
}

static int refuse_if_owned(const char *path, const struct manifest *manifest, const char *app)
{
	return file_standing(path, manifest) == FILE_OURS
		? verb_fail(
			  "'%s' belongs to '--app %s'; uninstall that first (nothing was written)", path, app)
		: 0;
}

static int refuse_file_of(void *context, const char *app)
{
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *record = NULL, *path = NULL;
	int r = record_name_of_app(app, &record);

	if (r == 0)
		r = record_path(record, &path);
	if (r == 0)
		r = record_load(path, &manifest);
	return r ? r : refuse_if_owned(context, &manifest, app);
}

int record_refuse_owned(const char *path)
{
	return record_each_app(refuse_file_of, (void *)path);
}

struct newcomer {
	const char *path; /* of its record */
	const struct file_set *set;
	struct manifest *manifest;
};

/* Folders that were made for another installation are ours as well. *ret_other: its record, empty if this is
 * it. */
static int share_folders(const struct newcomer *newcomer, const char *record, struct manifest *ret_other)
{
	_cleanup_free_ char *path = NULL;
	int r = record_path(record, &path);

	if (r || streq(path, newcomer->path))
		return r;
	r = record_load(path, ret_other);
	if (r)
		return r;
	r = files_share_folders(newcomer->set, newcomer->path, ret_other, newcomer->manifest);
	return r < 0 ? verb_fail_errno(r, "cannot prepare the record of what is installed") : 0;
}

static int heed_user(const struct newcomer *newcomer)
{
	_cleanup_(manifest_releasep) struct manifest other = {0};

	return share_folders(newcomer, "user", &other);
}

/* Another app's files are not ours to replace. */
static int heed_app(void *context, const char *app)
{
	const struct newcomer *newcomer = context;
	_cleanup_(manifest_releasep) struct manifest other = {0};
	_cleanup_free_ char *record = NULL;
	int r = record_name_of_app(app, &record);

	if (r == 0)
		r = share_folders(newcomer, record, &other);
	for (size_t i = 0; r == 0 && i < newcomer->set->n_files; i++)
		r = refuse_if_owned(newcomer->set->files[i].path, &other, app);
	return r;
}

/* The folders of the user are root's (user_folder()); those below them may be another's all the same. */
static int refuse_strange_files(const struct file_set *set)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->n_files; i++)
		r = refuse_stranger(set->files[i].path, "root writes nothing there (nothing was written)");
	return r;
}

int install_set(const struct install_request *request, const char *record, const struct file_set *set)
{
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *path = NULL;
	struct newcomer newcomer;
	enum file_standing standing;
	const char *culprit;
	int r = record_path(record, &path);

	if (r == 0)
		r = record_load(path, &manifest);
	if (r == 0)
		r = refuse_strange_files(set);
	newcomer = (struct newcomer){path, set, &manifest};
	if (r == 0)
		r = heed_user(&newcomer);
	if (r == 0)
		r = record_each_app(heed_app, &newcomer);
	if (r)
		return r;
	culprit = files_in_the_way(set, &manifest, request->force, &standing);
	if (culprit)
		return in_the_way(culprit, standing);
	if (!request->dry_run)
		r = files_install(set, path, geteuid() == 0 ? 0755 : 0700, &manifest, &culprit);
	if (r < 0)
		return verb_fail_errno(
			r, "cannot write '%s'; 'headstart uninstall' takes back the rest", culprit);
	for (size_t i = 0; i < set->n_files; i++)
		printf("%s %s\n", request->dry_run ? "would write" : "wrote", set->files[i].path);
	return 0;
}

int user_folder(const char *variable, const char *rest, char **ret)
{
	const char *value = variable ? getenv(variable) : NULL, *home = getenv("HOME");
	_cleanup_free_ char *path = NULL;
	int r;

	if (value && value[0] == '/')
		r = asprintf(&path, "%s", value);
	else if (home && home[0] == '/')
		r = asprintf(&path, "%s/%s", home, rest);
	else
		return verb_fail(
			"HOME is not set%s%s", variable ? ", nor is " : "", variable ? variable : "");
	if (r < 0)
		return verb_fail_errno(ENOMEM, "cannot find the user's folders");
	r = refuse_stranger_of(value && value[0] == '/' ? variable : "HOME", path);
	if (r == 0)
		*ret = TAKE_PTR(path);
	return r;
}
