/* SPDX-License-Identifier: MIT */
/* Which files a batch has, by all their names; where the results go; the threads. */
#include "relayout/batch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/files/open.h"
#include "base/files/same-file.h"
#include "base/strings.h"
#include "elf/identity.h"
#include "relayout/loader.h"
#include "replace/hard-links.h"
#include "replace/publish.h"

/*
 * Opens a path inside the root with O_PATH: it may lead to a device. *ret_path, which the caller frees, is the canonical
 * path of the file as this process sees it. Returns the descriptor or negative errno.
 */
static int open_inside(const struct relayout_batch *batch, const char *path, char **ret_path)
{
	_cleanup_close_ int fd = open_below(batch->root, path);
	char target[PATH_MAX];
	int r;

	if (fd < 0)
		return fd;
	r = path_of_fd(fd, target);
	if (r < 0)
		return r;
	*ret_path = strdup(target);
	return *ret_path ? TAKE_FD(fd) : -ENOMEM;
}

static bool has_name(const struct relayout_file *file, const char *path)
{
	bool found = streq(file->path, path);

	for (size_t i = 0; i < file->n_names && !found; i++)
		found = streq(file->names[i], path);
	return found;
}

static int add_name(struct relayout_file *file, const char *path)
{
	char **names;

	if (has_name(file, path))
		return 0;
	names = realloc(file->names, (file->n_names + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	file->names = names;
	names[file->n_names] = strdup(path);
	if (!names[file->n_names])
		return -ENOMEM;
	file->n_names++;
	return 0;
}

struct beside {
	struct relayout_file *file;
	const char *folder;
};

static int add_name_beside(void *context, const char *name)
{
	const struct beside *beside = context;
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", beside->folder, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return add_name(beside->file, path);
}

/* Adds a canonical path of the file, and its other names in that folder: relaying one would relay or split them all. */
static int add_names(struct relayout_file *file, const char *path, const struct stat *st)
{
	_cleanup_free_ char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
	int r = folder ? add_name(file, path) : -ENOMEM;

	if (r < 0 || st->st_nlink == 1)
		return r;
	return hard_links_in(
		AT_FDCWD, folder[0] ? folder : "/", st, add_name_beside, &(struct beside){file, folder});
}

/* The file in the list with this inode, under whatever name (a hard link), or NULL. */
static struct relayout_file *find_listed(struct relayout_batch *batch, const struct stat *st)
{
	for (size_t i = 0; i < batch->n_files; i++)
		if (batch->files[i].device == st->st_dev && batch->files[i].inode == st->st_ino)
			return &batch->files[i];
	return NULL;
}

static int add_file(struct relayout_batch *batch, const char *named, const char *path, int fd)
{
	struct relayout_file *file;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	file = find_listed(batch, &st);
	if (file)
		return add_names(file, path, &st);
	if (ARRAY_RESERVE(batch->files, batch->capacity, batch->n_files + 1) < 0)
		return -ENOMEM;
	file = &batch->files[batch->n_files];
	*file = (struct relayout_file){.path = strdup(path), .device = st.st_dev, .inode = st.st_ino};
	if (!file->path)
		return -ENOMEM;
	batch->n_files++;
	file->inside = file->path + strlen(batch->root);
	file->name = strrchr(named, '/') ? strrchr(named, '/') + 1 : named;
	return add_names(file, path, &st);
}

int relayout_batch_add(struct relayout_batch *batch, const char *name)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = open_inside(batch, name, &path);

	return fd < 0 ? fd : add_file(batch, name, path, fd);
}

int relayout_batch_add_profile(struct relayout_batch *batch, const char **ret_culprit)
{
	const struct profile *profile = batch->options.profile;

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *known = &profile->files[i];
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;
		int found, r;

		if (known->kind != PROFILE_REGULAR)
			continue;
		found = open_inside(batch, known->path, &path);
		fd = found < 0 ? found : open_finish(found, S_IFREG, 0);
		if (fd < 0 || !elf_is(fd))
			continue;
		r = add_file(batch, known->path, path, fd);
		if (r < 0) {
			*ret_culprit = known->path;
			return r;
		}
	}
	return 0;
}

int relayout_batch_enter(struct relayout_batch *batch, const char *root)
{
	_cleanup_free_ char *path = realpath(root, NULL);
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (streq(path, "/"))
		path[0] = '\0';
	batch->knows_relr[0] = loader_knows_relr(path, EM_X86_64);
	batch->knows_relr[1] = loader_knows_relr(path, EM_AARCH64);
	batch->root = TAKE_PTR(path);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int relayout_batch_place(struct relayout_batch *batch, const char *output, struct relayout_clash *ret_clash)
{
	bool folder = is_folder(output);

	if (!folder && batch->n_files > 1)
		return -ENOTDIR;
	for (size_t i = 0; i < batch->n_files; i++) {
		struct relayout_file *file = &batch->files[i];
		int r = folder ? asprintf(&file->output, "%s/%s", output, file->name)
			       : asprintf(&file->output, "%s", output);

		if (r < 0) {
			file->output = NULL;
			return -ENOMEM;
		}
		for (size_t other = 0; other < i; other++)
			if (streq(batch->files[other].output, file->output)) {
				*ret_clash = (struct relayout_clash){&batch->files[other], file};
				return -EEXIST;
			}
	}
	return 0;
}

/* The caller frees *ret. */
static int make_place_below(const char *folder, const char *original, char **ret)
{
	_cleanup_free_ char *path = NULL;
	char *slash;
	int r;

	if (asprintf(&path, "%s%s", folder, original) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	slash = strrchr(path, '/');
	*slash = '\0';
	r = make_folders(path, 0755);
	*slash = '/';
	if (r == 0)
		*ret = TAKE_PTR(path);
	return r;
}

int relayout_batch_place_below(struct relayout_batch *batch, const char *folder, const char **ret_culprit)
{
	for (size_t i = 0; i < batch->n_files; i++) {
		struct relayout_file *file = &batch->files[i];
		int r = 0;

		if (file->status == RELAYOUT_PENDING)
			r = make_place_below(folder, file->path, &file->output);
		if (r < 0) {
			*ret_culprit = file->path;
			return r;
		}
	}
	return 0;
}

struct workers {
	struct relayout_batch *batch;
	atomic_size_t next, done;
	relayout_progress *progress;
	void *context;
};

static void *work(void *argument)
{
	struct workers *workers = argument;
	struct relayout_batch *batch = workers->batch;
	size_t i;

	while ((i = atomic_fetch_add(&workers->next, 1)) < batch->n_files) {
		size_t done;

		if (batch->files[i].status == RELAYOUT_PENDING)
			relayout_batch_file(batch, &batch->files[i]);
		done = atomic_fetch_add(&workers->done, 1) + 1;
		if (workers->progress)
			workers->progress(workers->context, done, batch->n_files);
	}
	return NULL;
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* Starts as many threads as requested and possible; this one is among them. */
void relayout_batch_run(struct relayout_batch *batch, size_t jobs, relayout_progress *progress, void *context)
{
	struct workers workers = {.batch = batch, .progress = progress, .context = context};
	size_t wanted = jobs ? jobs : processors(), n = 0;
	pthread_t threads[RELAYOUT_JOBS_MAX];

	batch->older_libc = batch->options.profile && loader_is_older(batch->root, batch->options.profile);
	while (n + 1 < wanted && n + 1 < RELAYOUT_JOBS_MAX && n + 1 < batch->n_files &&
		pthread_create(&threads[n], NULL, work, &workers) == 0)
		n++;
	work(&workers);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void add_reads(struct relayout_reads *to, const struct relayout_reads *from)
{
	to->pages += from->pages;
	to->reads += from->reads;
	to->bytes += from->bytes;
	to->segments += from->segments;
}

struct relayout_totals relayout_batch_sum(const struct relayout_batch *batch)
{
	struct relayout_totals totals = {0};

	for (size_t i = 0; i < batch->n_files; i++) {
		const struct relayout_file *file = &batch->files[i];

		totals.by_status[file->status]++;
		if (file->status != RELAYOUT_DONE)
			continue;
		totals.hot_bytes += file->hot_bytes;
		add_reads(&totals.before, &file->before);
		add_reads(&totals.after, &file->after);
	}
	return totals;
}

bool relayout_batch_failed(const struct relayout_batch *batch, bool named)
{
	for (size_t i = 0; i < batch->n_files; i++) {
		const struct relayout_file *file = &batch->files[i];

		if (file->status == RELAYOUT_FAILED ||
			(file->status == RELAYOUT_REFUSED && (named || !file->unfit)))
			return true;
	}
	return false;
}

void relayout_batch_release(struct relayout_batch *batch)
{
	for (size_t i = 0; i < batch->n_files; i++) {
		struct relayout_file *file = &batch->files[i];

		for (size_t name = 0; name < file->n_names; name++)
			free(file->names[name]);
		free(file->names);
		free(file->path);
		free(file->output);
		free(file->reason);
		free(file->advice);
	}
	free(batch->files);
	free(batch->root);
}
