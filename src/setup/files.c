/* SPDX-License-Identifier: MIT */
/* Writes files in a way that can be undone. */
#include "setup/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/same-file.h"
#include "base/strings.h"
#include "replace/publish.h"

#define FILE_MAX  (4u << 20) /* bytes of a file that could be ours */
#define SAVED_MAX 100        /* files of one name that are saved beside it */

int file_set_add(struct file_set *set, const char *path, mode_t mode, char *content, size_t size)
{
	_cleanup_free_ char *owned = content, *copy = strdup(path);
	int r = ARRAY_RESERVE(set->files, set->capacity, set->n_files + 1);

	if (r < 0 || !copy)
		return -ENOMEM;
	set->files[set->n_files++] = (struct new_file){
		.path = TAKE_PTR(copy), .content = TAKE_PTR(owned), .size = size, .mode = mode};
	return 0;
}

void file_set_release(struct file_set *set)
{
	for (size_t i = 0; i < set->n_files; i++) {
		free(set->files[i].path);
		free(set->files[i].content);
	}
	free(set->files);
	*set = (struct file_set){0};
}

bool file_set_has(const struct file_set *set, const char *path)
{
	for (size_t i = 0; i < set->n_files; i++)
		if (streq(set->files[i].path, path))
			return true;
	return false;
}

static int remove_one(const struct installed_file *file, file_removed *tell, void *context);

/* Finds out which of our versions the file is. False if it is none. */
static bool is_ours(const char *path, const struct installed_file *known, uint64_t *ret_checksum)
{
	_cleanup_free_ char *content = NULL;
	size_t size;

	if (read_file(path, FILE_MAX, &content, &size) < 0)
		return false;
	*ret_checksum = checksum64(content, size);
	return *ret_checksum == known->checksum || *ret_checksum == known->was;
}

enum file_standing file_standing(const char *path, const struct manifest *manifest)
{
	const struct installed_file *known = manifest_find(manifest, path);
	uint64_t checksum;
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? FILE_ABSENT : FILE_OTHER;
	if (!S_ISREG(st.st_mode))
		return FILE_OTHER;
	return known && is_ours(path, known, &checksum) ? FILE_OURS : FILE_FOREIGN;
}

const char *files_in_the_way(const struct file_set *set, const struct manifest *manifest, bool force,
	enum file_standing *ret_standing)
{
	for (size_t i = 0; i < set->n_files; i++) {
		enum file_standing standing = file_standing(set->files[i].path, manifest);

		if (standing == FILE_OTHER || (standing == FILE_FOREIGN && !force)) {
			*ret_standing = standing;
			return set->files[i].path;
		}
	}
	return NULL;
}

static bool is_saved_as(const char *path, const char *saved)
{
	struct stat here, there;

	return lstat(path, &here) == 0 && lstat(saved, &there) == 0 && same_file(&here, &there);
}

/* Whether a file can be saved under that name, or is already, because we were killed. */
static bool is_free_for(const char *path, const char *saved)
{
	struct stat st;

	return (lstat(saved, &st) < 0 && errno == ENOENT) || is_saved_as(path, saved);
}

/*
 * `.NAME.headstart-saved` beside NAME; a rename restores the file. With a number, if an earlier installation has left a
 * file of that name. Returns 0, -EEXIST, or -ENOMEM; the caller frees *ret.
 */
static int saved_name(const char *path, char **ret)
{
	const char *slash = strrchr(path, '/');

	for (int i = 1; i <= SAVED_MAX; i++) {
		_cleanup_free_ char *name = NULL;
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof(number), "-%d", i);
		if (asprintf(&name, "%.*s/.%s.headstart-saved%s", (int)(slash - path), path, slash + 1,
			    number) < 0) {
			name = NULL;
			return -ENOMEM;
		}
		if (is_free_for(path, name)) {
			*ret = TAKE_PTR(name);
			return 0;
		}
	}
	return -EEXIST;
}

static bool has_folder(const struct manifest *manifest, const char *path)
{
	for (size_t i = 0; i < manifest->n_folders; i++)
		if (streq(manifest->folders[i], path))
			return true;
	return false;
}

/* Adds the missing folders above the path to the manifest. */
static int note_missing_folders(struct manifest *manifest, const char *path)
{
	_cleanup_free_ char *partial = strdup(path);

	if (!partial)
		return -ENOMEM;
	for (char *at = strchr(partial + 1, '/'); at; at = strchr(at + 1, '/')) {
		int r = 0;

		*at = '\0';
		if (access(partial, F_OK) < 0 && errno == ENOENT && !has_folder(manifest, partial))
			r = manifest_add_folder(manifest, partial);
		*at = '/';
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_wanted(const struct new_file *file, const struct manifest *before, struct manifest *after)
{
	const struct installed_file *known = manifest_find(before, file->path);
	struct installed_file wanted = {
		.path = file->path, .checksum = checksum64(file->content, file->size)};
	_cleanup_free_ char *saved = NULL;
	int r = note_missing_folders(after, file->path);

	wanted.was = wanted.checksum;
	if (r == 0 && file_standing(file->path, before) == FILE_FOREIGN) {
		r = saved_name(file->path, &saved);
		wanted.saved = saved;
	} else if (known) {
		(void)is_ours(file->path, known, &wanted.was); /* if we are killed, it may be either */
		wanted.saved = known->saved;
	}
	return r < 0 ? r : manifest_add_file(after, &wanted);
}

static bool lies_in(const char *path, const char *folder)
{
	const char *rest = after_prefix(path, folder);

	return rest && *rest == '/';
}

int files_share_folders(const struct file_set *set, const char *manifest_path, const struct manifest *other,
	struct manifest *manifest)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < other->n_folders; i++) {
		const char *folder = other->folders[i];
		bool shared = lies_in(manifest_path, folder);

		for (size_t j = 0; !shared && j < set->n_files; j++)
			shared = lies_in(set->files[j].path, folder);
		if (shared && !has_folder(manifest, folder))
			r = manifest_add_folder(manifest, folder);
	}
	return r;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the wanted files and the earlier ones: until the earlier ones are removed, undoing must remove them too. */
static int merge_manifest(
	const struct file_set *set, const char *path, const struct manifest *before, struct manifest *after)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < before->n_folders; i++)
		r = manifest_add_folder(after, before->folders[i]);
	if (r == 0)
		r = note_missing_folders(after, path);
	for (size_t i = 0; r == 0 && i < set->n_files; i++)
		r = add_wanted(&set->files[i], before, after);
	for (size_t i = 0; r == 0 && i < before->n_files; i++) {
		const struct installed_file *file = &before->files[i];

		if (!manifest_find(after, file->path))
			r = manifest_add_file(after, file);
	}
	if (after->n_folders)
		qsort(after->folders, after->n_folders, sizeof(*after->folders), compare_strings);
	return r;
}

static int save_foreign(const char *path, const char *saved)
{
	if (link(path, saved) == 0 || is_saved_as(path, saved))
		return 0;
	return -errno;
}

/* Makes the folder of the path. */
static int make_folder_of(const char *path, mode_t mode)
{
	_cleanup_free_ char *folder = strdup(path);

	if (!folder)
		return -ENOMEM;
	*strrchr(folder, '/') = '\0';
	return make_folders(folder, mode);
}

static int write_file(
	const struct new_file *file, const struct manifest *before, const struct manifest *after)
{
	int r = make_folder_of(file->path, 0755);

	if (r == 0 && file_standing(file->path, before) == FILE_FOREIGN)
		r = save_foreign(file->path, manifest_find(after, file->path)->saved);
	return r < 0 ? r : publish_file(file->path, file->mode, file->content, file->size);
}

/* Undoes the files that are not wanted any more; *ret is the manifest without them. */
static int drop_unwanted(const struct file_set *set, const struct manifest *manifest, struct manifest *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < manifest->n_folders; i++)
		r = manifest_add_folder(ret, manifest->folders[i]);
	for (size_t i = 0; r == 0 && i < manifest->n_files; i++) {
		struct installed_file file = manifest->files[i];

		if (file_set_has(set, file.path)) {
			file.was = file.checksum; /* it is replaced */
			r = manifest_add_file(ret, &file);
		} else {
			r = remove_one(&manifest->files[i], NULL, NULL);
		}
	}
	return r;
}

int files_install(const struct file_set *set, const char *manifest_path, mode_t folder_mode,
	struct manifest *manifest, const char **ret_path)
{
	_cleanup_(manifest_releasep) struct manifest merged = {0}, final = {0};
	int r = merge_manifest(set, manifest_path, manifest, &merged);

	*ret_path = manifest_path;
	if (r == 0)
		r = make_folder_of(manifest_path, folder_mode);
	if (r == 0)
		r = manifest_save(manifest_path, &merged);
	if (r < 0)
		return r;
	for (size_t i = 0; i < set->n_files; i++) {
		r = write_file(&set->files[i], manifest, &merged);
		if (r < 0) {
			*ret_path = set->files[i].path;
			return r;
		}
	}
	r = drop_unwanted(set, &merged, &final);
	if (r == 0)
		r = manifest_save(manifest_path, &final);
	if (r < 0)
		return r;
	manifest_release(manifest);
	*manifest = final;
	final = (struct manifest){0};
	return 0;
}

static int take_back(const struct installed_file *file, const struct manifest *one, enum file_removal *ret)
{
	bool saved = file->saved && access(file->saved, F_OK) == 0;
	enum file_standing standing = file_standing(file->path, one);

	*ret = FILE_KEPT;
	if (saved &&
		is_saved_as(file->path, file->saved)) /* we were killed before the new file was published */
		return unlink(file->saved) < 0 ? -errno : 0;
	if (standing != FILE_OURS && standing != FILE_ABSENT)
		return 0;
	*ret = saved ? FILE_RESTORED : standing == FILE_OURS ? FILE_REMOVED : FILE_GONE;
	if (saved)
		return rename(file->saved, file->path) < 0 ? -errno : 0;
	return standing == FILE_OURS && unlink(file->path) < 0 ? -errno : 0;
}

static int remove_one(const struct installed_file *file, file_removed *tell, void *context)
{
	const struct manifest one = {.files = (struct installed_file *)file, .n_files = 1};
	enum file_removal what;
	int r = take_back(file, &one, &what);

	publish_sweep(file->path);
	if (r == 0 && tell)
		tell(context, file->path, what,
			file->saved && access(file->saved, F_OK) == 0 ? file->saved : NULL);
	return r;
}

/* Removes the folders that were made, except those into which others have put something. */
static void remove_folders(const struct manifest *manifest)
{
	for (size_t i = manifest->n_folders; i > 0; i--)
		(void)rmdir(manifest->folders[i - 1]);
}

int files_remove(const char *manifest_path, const struct manifest *manifest, file_removed *tell,
	void *context, const char **ret_path)
{
	for (size_t i = 0; i < manifest->n_files; i++) {
		int r = remove_one(&manifest->files[i], tell, context);

		*ret_path = manifest->files[i].path;
		if (r < 0)
			return r;
	}
	remove_folders(manifest);
	*ret_path = manifest_path;
	if (unlink(manifest_path) < 0)
		return -errno;
	remove_folders(manifest); /* the folders of the manifest itself */
	return 0;
}
