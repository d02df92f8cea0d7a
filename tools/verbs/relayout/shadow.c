/* SPDX-License-Identifier: MIT */
/*
 * headstart relayout --shadow: writes copies under a folder, at the paths of their originals, and the files that mount
 * them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "lib/files/stranger-refusal.h"
#include "lib/programs/private-file.h"
#include "package/shadow.h"
#include "replace/publish.h"
#include "verb.h"
#include "verbs/relayout/relayout.h"

/* Root runs the script and mounts the copies, so anybody who can change them could make root run anything. */
static int refuse_strange_folder(const char *shadow)
{
	_cleanup_free_ char *here = shadow[0] == '/' ? NULL : getcwd(NULL, 0), *path = NULL;

	if (asprintf(&path, "%s/%s", here ? here : "", shadow) < 0)
		return verb_fail_errno(ENOMEM, "cannot use the folder '%s'", shadow);
	return refuse_stranger(path, "the copies need a folder that only root can change");
}

/* Who can change the path of an original has root mount the copy wherever they like. */
static void refuse_unsafe(struct relayout_file *file)
{
	struct stranger stranger;

	if (!shadow_can_list(file->path))
		relayout_set(file, RELAYOUT_REFUSED,
			"has a line end in its name, which the list of copies cannot hold");
	else if (stranger_to_us(file->path, &stranger) == -EPERM)
		relayout_set(file, RELAYOUT_REFUSED,
			"can be replaced by others than root, who can change '%s': no copy is mounted there",
			stranger.path);
}

/* What is mounted would be taken for the originals, and would be missing in the new list, by which it is unmounted. */
static int refuse_mounted(const char *folder)
{
	_cleanup_free_ char *path = NULL;
	int r = shadow_find_mounted(folder, &path);

	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s/headstart-shadow.list'", folder);
	return path
		? verb_fail("the copy of '%s' is mounted: run '%s/headstart-shadow stop' first", path, folder)
		: 0;
}

int relayout_shadow_begin(struct relayout_run *run)
{
	const char *culprit;
	int r = refuse_strange_folder(run->shadow);

	if (r)
		return r;
	for (size_t i = 0; i < run->batch.n_files; i++)
		refuse_unsafe(&run->batch.files[i]);
	if (run->batch.dry_run)
		return 0;
	r = make_folders(run->shadow, 0755);
	if (r < 0)
		return verb_fail_errno(r, "cannot make the folder '%s'", run->shadow);
	run->shadow_folder = realpath(run->shadow, NULL);
	if (!run->shadow_folder)
		return verb_fail_errno(errno, "cannot find '%s'", run->shadow);
	r = refuse_mounted(run->shadow_folder);
	if (r)
		return r;
	r = relayout_batch_place_below(&run->batch, run->shadow_folder, &culprit);
	if (r < 0)
		return verb_fail_errno(r, "cannot make the folder of the copy of '%s'", culprit);
	return 0;
}

/* The folder of the scripts of packaging/shadow. *ret is the caller's. Returns 0 or negative errno. */
static int find_scripts(char **ret)
{
	int r = private_file("packaging", "headstart-shadow", ret);

	if (r == 0)
		*strrchr(*ret, '/') = '\0';
	return r;
}

int relayout_shadow_finish(const struct relayout_run *run)
{
	_cleanup_free_ struct shadow_file *files = calloc(run->batch.n_files + 1, sizeof(*files));
	_cleanup_free_ char *profile = realpath(run->profile_file, NULL), *scripts = NULL;
	size_t n = 0;
	int r;

	if (!profile)
		return verb_fail_errno(errno, "cannot find '%s'", run->profile_file);
	for (size_t i = 0; files && i < run->batch.n_files; i++) {
		const struct relayout_file *file = &run->batch.files[i];

		if (file->status == RELAYOUT_DONE)
			files[n++] = (struct shadow_file){file->path, file->size_before, file->mtime};
	}
	r = files ? find_scripts(&scripts) : -ENOMEM;
	if (r == 0)
		r = shadow_write(run->shadow_folder, scripts, profile, files, n);
	return r < 0 ? verb_fail_errno(r, "cannot write what mounts the copies to '%s'", run->shadow) : 0;
}
