/* SPDX-License-Identifier: MIT */
/* One file of a batch: read, lay out, write. Runs in several threads at once. */
#include "relayout/batch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "relayout/refuse.h"
#include "replace/replace.h"

#define FILE_LIMIT (4ll << 30) /* bytes: it is held in memory */

void relayout_set(struct relayout_file *file, enum relayout_status status, const char *format, ...)
{
	va_list args;

	file->status = status;
	va_start(args, format);
	if (vasprintf(&file->reason, format, args) < 0)
		file->reason = NULL;
	va_end(args);
}

static void fail(struct relayout_file *file, int error, const char *what)
{
	relayout_set(file, RELAYOUT_FAILED, "%s: %s", what, strerror(-error));
}

static bool has_checksum_beside(const struct relayout_file *file)
{
	bool found = refuse_checksum_beside(file->path);

	for (size_t i = 0; i < file->n_names && !found; i++)
		found = refuse_checksum_beside(file->names[i]);
	return found;
}

/* Checks for files that should not be changed, whatever their content. Returns whether to go on. */
static bool may_change(
	const struct relayout_batch *batch, struct relayout_file *file, int fd, const struct stat *st)
{
	const char *reason;
	bool forcible;
	int r = refuse_file(fd, st, &reason, &forcible);

	if (r < 0)
		return fail(file, r, "cannot be examined"), false;
	/* A copy of a program with rights of its own would stay for everybody to start, after the program itself was mended. */
	forcible = forcible && !batch->originals_only;
	if (!reason && has_checksum_beside(file)) {
		reason = "is covered by a checksum in another file";
		forcible = true;
	}
	if (!reason || (forcible && batch->force))
		return true;
	relayout_set(file, RELAYOUT_REFUSED, "%s%s", reason,
		forcible ? "; use --force to relayout it anyway" : "");
	return false;
}

/*
 * Reads the content into our own memory: if somebody truncated a mapped file, we would get SIGBUS. The caller frees
 * *ret.
 */
static bool read_content(struct relayout_file *file, int fd, const struct stat *st, uint8_t **ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	ssize_t n;

	if (st->st_size > FILE_LIMIT)
		return relayout_set(file, RELAYOUT_REFUSED, "is larger than 4 GiB"), false;
	data = malloc((size_t)st->st_size + 1);
	if (!data)
		return fail(file, -ENOMEM, "cannot be read"), false;
	n = read_full(fd, data, (size_t)st->st_size);
	if (n < 0)
		return fail(file, (int)n, "cannot be read"), false;
	if (n != st->st_size)
		return relayout_set(file, RELAYOUT_FAILED, "was truncated while it was read"), false;
	*ret = TAKE_PTR(data);
	return true;
}

static bool plan(const struct relayout_batch *batch, struct relayout_file *file, int fd, uint8_t *data,
	struct relayout *ret)
{
	struct relayout_options options = batch->options;
	const char *reason;
	int r;

	options.whole = (struct whole_options){batch->root, fd};
	options.pass_options.loader_knows_relr =
		batch->knows_relr[file->size_before > 18 && data[18] == EM_AARCH64] && /* e_machine */
		!batch->older_libc;
	r = relayout_init(ret, data, file->size_before, file->inside, &options, &reason);
	if (r == -ENODATA || r == -ESTALE)
		return relayout_set(file, RELAYOUT_SKIPPED, "%s", reason), false;
	file->unfit = r == -EOPNOTSUPP;
	if (file->unfit)
		return relayout_set(file, RELAYOUT_REFUSED, "%s", reason), false;
	if (r < 0)
		return fail(file, r, "cannot be laid out"), false;
	if (batch->originals_only && ret->current.size != ret->original.size)
		return relayout_set(file, RELAYOUT_REFUSED,
			       "is relaid already; 'headstart-shadow stop' "
			       "uncovers the original if that is its copy"),
		       false;
	file->size_after = relayout_size(ret);
	file->hot_bytes = relayout_hot_size(ret);
	file->before = ret->before;
	file->after = ret->after;
	memcpy(file->passes, ret->passes, sizeof(file->passes));
	return true;
}

/* Commits what has been written; `r` is the result of writing it. Returns whether that succeeded. */
static bool commit(struct relayout_file *file, int r, struct replacement *new)
{
	if (r == 0)
		r = replacement_commit(new);
	if (r == -ESTALE || r == -ENODATA)
		relayout_set(file, RELAYOUT_FAILED, "was changed while it was relaid");
	else if (r == -EMLINK)
		relayout_set(file, RELAYOUT_REFUSED,
			"has other names (hard links) in other folders; name them too");
	else if (r < 0 && new->lost)
		relayout_set(file, RELAYOUT_FAILED, "cannot be replaced: its %s cannot be kept: %s",
			new->lost, strerror(-r));
	else if (r < 0)
		fail(file, r, file->output ? "cannot be written anew" : "cannot be replaced");
	return r == 0;
}

static void write_result(struct relayout_file *file, const struct relayout *relayout, struct replacement *new)
{
	int r = replacement_copy_original(new, relayout_keeps(relayout));

	if (r == 0)
		r = relayout_write(relayout, new->fd);
	if (commit(file, r, new))
		file->status = RELAYOUT_DONE;
}

/* -o OUT must exist whenever we succeed, so a skipped file is copied unchanged. */
static void write_unchanged(struct relayout_file *file, struct replacement *new)
{
	int r = replacement_copy_original(new, file->size_before);

	file->copied = commit(file, r, new);
}

/*
 * Whoever can exchange folders on the path could otherwise have another file rewritten than the one that was looked at, to which other refusals
 * would apply.
 */
static int check_same(const struct relayout_file *file, const struct replacement *new)
{
	return file->device == new->st.st_dev && file->inode == new->st.st_ino ? 0 : -ESTALE;
}

/* A name may be gone by now, as those that a killed process left are; commit refuses what has more names than are known. */
static int begin(struct relayout_file *file, struct replacement *new)
{
	int r;

	r = file->output ? replacement_begin_new(new, file->output, file->path)
			 : replacement_begin(new, file->path);
	if (r == 0)
		r = check_same(file, new);
	if (file->output)
		return r;
	for (size_t i = 0; i < file->n_names && r == 0; i++) {
		r = replacement_add_name(new, file->names[i]);
		if (r == -ENOENT)
			r = 0;
	}
	return r;
}

static void take_status(struct relayout_file *file, const struct stat *st)
{
	file->size_before = (uint64_t)st->st_size;
	file->mtime = st->st_mtim.tv_sec;
}

static void refuse_own_output(const struct relayout_batch *batch, struct relayout_file *file)
{
	relayout_set(file, RELAYOUT_REFUSED,
		batch->originals_only
			? "has its copy mounted over it; 'headstart-shadow stop' uncovers the original"
			: "is the file that the result would be written to; use --in-place to replace it");
}

static void relayout_and_write(const struct relayout_batch *batch, struct relayout_file *file)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
	_cleanup_(relayout_releasep) struct relayout relayout = {0};
	_cleanup_free_ uint8_t *data = NULL;
	int r = begin(file, &new);

	if (r == -EINVAL)
		return relayout_set(file, RELAYOUT_REFUSED, "is not a regular file");
	if (r == -ENOTUNIQ)
		return refuse_own_output(batch, file);
	if (r == -ESTALE)
		return relayout_set(file, RELAYOUT_FAILED, "was exchanged for another file");
	if (r < 0)
		return fail(file, r, file->output ? "cannot be written anew" : "cannot be replaced");
	take_status(file, &new.st);
	if (may_change(batch, file, new.original, &new.st) &&
		read_content(file, new.original, &new.st, &data) &&
		plan(batch, file, new.original, data, &relayout))
		write_result(file, &relayout, &new);
	else if (batch->copy_skipped && file->status == RELAYOUT_SKIPPED)
		write_unchanged(file, &new);
}

static void relayout_dry(const struct relayout_batch *batch, struct relayout_file *file)
{
	_cleanup_(relayout_releasep) struct relayout relayout = {0};
	_cleanup_close_ int fd = open_regular(file->path, 0);
	_cleanup_free_ uint8_t *data = NULL;
	struct stat st;

	if (fd == -EINVAL)
		return relayout_set(file, RELAYOUT_REFUSED, "is not a regular file");
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(file, fd < 0 ? fd : -errno, "cannot be read");
	take_status(file, &st);
	if (may_change(batch, file, fd, &st) && read_content(file, fd, &st, &data) &&
		plan(batch, file, fd, data, &relayout))
		file->status = RELAYOUT_DONE;
}

void relayout_batch_file(const struct relayout_batch *batch, struct relayout_file *file)
{
	if (batch->dry_run)
		relayout_dry(batch, file);
	else
		relayout_and_write(batch, file);
}
