/* SPDX-License-Identifier: MIT */
/* Messages of `install`, `uninstall` and `status` about records and the files that they name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/files/stranger-refusal.h"
#include "lib/print/page-style.h"
#include "plan/store/store.h"
#include "verb.h"
#include "verbs/install/install.h"

int install_record_name(const char *app, char **ret)
{
	int r = record_name_of_app(app, ret);

	if (r == -EINVAL)
		return verb_fail("'%s' cannot be the name of a program or .desktop file", app);
	return r < 0 ? verb_fail_errno(r, "cannot look for '%s'", app) : 0;
}

int install_folder(char **ret)
{
	_cleanup_free_ char *state = NULL;
	int r = refuse_strange_state();

	if (r)
		return r;
	r = store_folder(&state);
	if (r == -ENOENT)
		return verb_fail("HOME is not set: there is no folder for the record of the installation");
	if (r < 0 || asprintf(ret, "%s/install", state) < 0)
		return verb_fail_errno(ENOMEM, "cannot find the state folder");
	return 0;
}

static int cannot_load(int error, const char *path)
{
	if (error == -EBADMSG)
		return verb_fail("'%s' is not a record of an installation; move it away", path);
	return verb_fail_errno(error, "cannot read '%s'", path);
}

int install_record_load(const char *name, char **ret_path, struct manifest *ret)
{
	_cleanup_free_ char *folder = NULL, *path = NULL;
	int r = install_folder(&folder);

	if (r)
		return r;
	r = record_path(folder, name, &path);
	if (r < 0)
		return verb_fail_errno(r, "cannot name '%s'", name);
	r = record_load(path, ret);
	if (r < 0)
		return cannot_load(r, path);
	*ret_path = TAKE_PTR(path);
	return 0;
}

int install_refuse_clash(int error, const struct record_clash *clash)
{
	if (error == -EEXIST)
		return verb_fail("'%s' belongs to '--app %s'; uninstall that first (nothing was written)",
			clash->file, clash->app);
	if (clash->record)
		return cannot_load(error, clash->record);
	return verb_fail_errno(error, "cannot prepare the record of what is installed");
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

/* The user's folders are root's (user_folder()), but folders below them may still belong to others. */
static int refuse_strange_files(const struct file_set *set)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->n_files; i++)
		r = refuse_stranger(set->files[i].path, "root writes nothing there (nothing was written)");
	return r;
}

/* Checks that nobody else has a file of the set, and prepares the manifest for it. */
static int prepare_set(const struct install_request *request, const char *record, const struct file_set *set,
	struct manifest *manifest)
{
	_cleanup_(record_clash_releasep) struct record_clash clash = {0};
	_cleanup_free_ char *folder = NULL;
	enum file_standing standing;
	const char *culprit;
	int r = refuse_strange_files(set);

	if (r == 0)
		r = install_folder(&folder);
	if (r)
		return r;
	r = record_prepare(folder, record, set, manifest, &clash);
	if (r < 0)
		return install_refuse_clash(r, &clash);
	culprit = files_in_the_way(set, manifest, request->force, &standing);
	return culprit ? in_the_way(culprit, standing) : 0;
}

int install_set(const struct install_request *request, const char *record, const struct file_set *set)
{
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *path = NULL;
	const char *culprit;
	int r = install_record_load(record, &path, &manifest);

	if (r == 0)
		r = prepare_set(request, record, set, &manifest);
	if (r)
		return r;
	if (!request->dry_run)
		r = files_install(set, path, geteuid() == 0 ? 0755 : 0700, &manifest, &culprit);
	if (r < 0)
		return verb_fail("cannot write '%s': %s; 'headstart uninstall' takes back what was written",
			culprit, strerror(-r));
	for (size_t i = 0; i < set->n_files; i++)
		page_line(request->dry_run ? "would write " : "wrote ", set->files[i].path, "");
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
