/* SPDX-License-Identifier: MIT */
/* Changes /etc/ld.so.preload, and keeps the record of its former content. */
#include "setup/system/preload-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "base/texts/preload-text.h"
#include "replace/publish.h"
#include "replace/replace.h"

#define FILE_MAX (1u << 20)

/* The first line of the record. The former content of the file follows. */
#define RECORD_EXISTED "headstart: /etc/ld.so.preload before the installation\n"
#define RECORD_MISSING "headstart: /etc/ld.so.preload did not exist before the installation\n"

int preload_file_read(const char *path, struct preload_file *ret)
{
	struct preload_file file = {.exists = true};
	struct stat st;
	int r = read_file(path, FILE_MAX, &file.text, &file.size);

	if (r == -ENOENT && lstat(path, &st) == 0)
		return -ELOOP;
	if (r == -ENOENT) {
		file.exists = false;
		file.text = strdup("");
		r = file.text ? 0 : -ENOMEM;
	}
	if (r == 0)
		*ret = file;
	return r;
}

void preload_file_release(struct preload_file *file)
{
	free(file->text);
	*file = (struct preload_file){0};
}

bool preload_file_for_all(const char *path, mode_t *ret_mode)
{
	struct stat st;

	if (stat(path, &st) < 0 || (st.st_mode & S_IROTH))
		return true;
	*ret_mode = st.st_mode & 07777;
	return false;
}

static bool same_text(const struct preload_file *file, const char *text, size_t size)
{
	return file->size == size && memcmp(file->text, text, size) == 0;
}

/* Replaces the file if it still is `before`. Keeps its owner, mode, attributes and links. */
static int replace(const char *path, const struct preload_file *before, const char *text, size_t size)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
	_cleanup_free_ char *now = NULL;
	ssize_t n;
	int r;

	if (!before->exists) {
		r = publish_new_file(path, 0644, text, size);
		return r == -EEXIST ? -ESTALE : r;
	}
	r = replacement_begin(&new, path);
	if (r < 0)
		return r;
	now = malloc(before->size + 1);
	if (!now)
		return -ENOMEM;
	n = read_full(new.original, now, before->size + 1);
	if (n < 0)
		return (int)n;
	if (!same_text(before, now, (size_t)n))
		return -ESTALE;
	r = write_full(new.fd, text, size);
	return r < 0 ? r : replacement_commit(&new);
}

static int remove_file(const char *path, const struct preload_file *before)
{
	_cleanup_(preload_file_releasep) struct preload_file now = {0};
	int r = preload_file_read(path, &now);

	if (r < 0)
		return r;
	if (!now.exists || !same_text(before, now.text, now.size))
		return -ESTALE;
	if (unlink(path) < 0)
		return -errno;
	return publish_sync(path);
}

static int write_record(const char *record, const struct preload_file *file)
{
	const char *head = file->exists ? RECORD_EXISTED : RECORD_MISSING;
	_cleanup_free_ char *text = malloc(strlen(head) + file->size);

	if (!text)
		return -ENOMEM;
	memcpy(text, head, strlen(head));
	memcpy(text + strlen(head), file->text, file->size);
	return publish_file(record, 0644, text, strlen(head) + file->size);
}

/* Returns 0, -ENOENT if there is no valid record, or negative errno. */
static int read_record(const char *record, struct preload_file *ret)
{
	_cleanup_free_ char *text = NULL;
	const char *rest, *missing;
	size_t size;
	int r = read_file(record, FILE_MAX + 4096, &text, &size);

	if (r < 0)
		return r;
	rest = after_prefix(text, RECORD_EXISTED);
	missing = after_prefix(text, RECORD_MISSING);
	if (!rest && !missing)
		return -ENOENT;
	ret->exists = rest != NULL;
	ret->size = size - (size_t)((rest ? rest : missing) - text);
	ret->text = memmove(text, rest ? rest : missing, ret->size);
	(void)TAKE_PTR(text);
	return 0;
}

int preload_file_add(const char *path, const struct preload_file *before, const char *name,
	const char *record, const char **ret_culprit)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = preload_text_add(before->text, before->size, name, &text, &size);

	*ret_culprit = record;
	if (r == 0)
		r = write_record(record, before);
	if (r < 0)
		return r;
	*ret_culprit = path;
	return replace(path, before, text, size);
}

/* Whether the file is exactly the recorded one with the name added. */
static bool only_we_changed(
	const struct preload_file *file, const struct preload_file *recorded, const char *name)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	return preload_text_add(recorded->text, recorded->size, name, &text, &size) == 0 &&
		same_text(file, text, size);
}

static int take_back(const char *path, const struct preload_file *before, const struct preload_file *recorded,
	const char *name)
{
	_cleanup_free_ char *rest = NULL;
	size_t size;
	int r;

	if (recorded->text && only_we_changed(before, recorded, name))
		return recorded->exists ? replace(path, before, recorded->text, recorded->size)
					: remove_file(path, before);
	r = preload_text_remove(before->text, before->size, name, &rest, &size);
	if (r < 0)
		return r;
	if (size == 0 && !(recorded->text && recorded->exists))
		return remove_file(path, before);
	return replace(path, before, rest, size);
}

int preload_file_remove(const char *path, const struct preload_file *before, const char *name,
	const char *record, const char **ret_culprit)
{
	_cleanup_(preload_file_releasep) struct preload_file recorded = {0};
	int r = read_record(record, &recorded);

	*ret_culprit = path;
	if (r == -ENOMEM)
		return r;
	/* Removes the line even without a readable record. */
	r = preload_text_has(before->text, before->size, name) ? take_back(path, before, &recorded, name) : 0;
	if (r < 0)
		return r;
	publish_sweep(path);
	*ret_culprit = record;
	if (unlink(record) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}
