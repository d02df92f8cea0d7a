/* SPDX-License-Identifier: MIT */
/* Puts names and pages together to a profile. */
#include "snapshot/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/metadata.h"
#include "snapshot/collect.h"

void snapshot_release(struct snapshot *snapshot)
{
	profile_release(&snapshot->profile);
	free(snapshot->links);
	*snapshot = (struct snapshot){0};
}

int snapshot_add(struct snapshot *snapshot, const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISREG(st.st_mode))
		return pages_add(snapshot, path, TAKE_FD(fd), &st, true);
	if (!S_ISDIR(st.st_mode))
		return -EINVAL;
	if (faccessat(fd, ".", R_OK | X_OK, AT_EACCESS) < 0)
		return -errno;
	return walk_folder(snapshot, path, false);
}

/* Takes out the files that `keep` has no mark for, in their order. */
static void keep_files(struct profile *profile, const bool *keep)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->n_files; i++) {
		if (keep[i])
			profile->files[kept++] = profile->files[i];
		else
			profile_file_release(&profile->files[i]);
	}
	profile->n_files = kept;
	string_index_release(&profile->index);
}

static int compare_links(const void *a, const void *b)
{
	const struct snapshot_link *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

/* A file that has several names has its pages under the first. */
static void leave_pages_once(struct snapshot *snapshot)
{
	struct snapshot_link *links = snapshot->links;

	if (snapshot->n_links > 1)
		qsort(links, snapshot->n_links, sizeof(*links), compare_links);
	for (size_t i = 1; i < snapshot->n_links; i++)
		if (links[i].device == links[i - 1].device && links[i].inode == links[i - 1].inode &&
			links[i].file != links[i - 1].file)
			snapshot->profile.files[links[i].file].n_ranges = 0;
}

/* Takes the pages of one file out of another, and says in *ret whether anything is left of that. */
static int subtract_file(struct profile_file *file, const struct profile_file *before, bool *ret)
{
	int r = pages_subtract(file, before);

	*ret = file->n_ranges > 0;
	return r;
}

int snapshot_subtract(struct snapshot *after, struct snapshot *before)
{
	struct profile *profile = &after->profile;
	_cleanup_free_ bool *keep = calloc(profile->n_files + 1, sizeof(*keep));
	size_t n;
	int r = keep ? 0 : -ENOMEM;

	leave_pages_once(after);
	after->n_links = 0; /* from here on these numbers of files are not true */
	for (size_t i = 0; r == 0 && i < profile->n_files; i++) {
		const struct profile_file *same;

		keep[i] = true;
		r = profile_find_file(&before->profile, profile->files[i].path, &same);
		if (r == 0 && same)
			r = subtract_file(&profile->files[i], same, &keep[i]);
	}
	if (r < 0)
		return r;
	keep_files(profile, keep);
	profile_release_metadata(profile); /* it is that of all folders */
	n = profile->n_files;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = snapshot_add_folders_to(after, profile->files[i].path);
	return r;
}

int snapshot_add_names(struct snapshot *snapshot, const struct snapshot *names)
{
	const struct profile *profile = &names->profile;

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *from = &profile->files[i];
		size_t before = snapshot->profile.n_files, file;
		int r = snapshot_add_name(snapshot, from->path, from->kind, &file);

		if (r < 0)
			return r;
		if (snapshot->profile.n_files == before)
			continue;
		snapshot->profile.files[file].size = from->size;
		snapshot->profile.files[file].mtime = from->mtime;
	}
	return 0;
}

/* Files with pages are wanted most, then what leads to files, then names of files. */
static unsigned rank_of(const struct profile_file *file)
{
	return file->n_ranges > 0 ? 0 : file->kind != PROFILE_REGULAR ? 1 : 2;
}

static int leave_out_beyond(struct snapshot *snapshot, size_t files_max)
{
	struct profile *profile = &snapshot->profile;
	_cleanup_free_ bool *keep = NULL;
	size_t kept = 0;

	if (profile->n_files <= files_max)
		return 0;
	keep = calloc(profile->n_files, sizeof(*keep));
	if (!keep)
		return -ENOMEM;
	for (unsigned rank = 0; rank <= 2; rank++) {
		for (size_t i = 0; i < profile->n_files && kept < files_max; i++) {
			if (rank_of(&profile->files[i]) != rank)
				continue;
			keep[i] = true;
			kept++;
		}
	}
	snapshot->dropped += profile->n_files - kept;
	keep_files(profile, keep);
	return 0;
}

static int describe(struct profile *profile, const char *subject, const char *command)
{
	struct utsname kernel;

	if (uname(&kernel) < 0)
		return -errno;
	free(profile->command); /* a recording, to which names were added, says these of itself */
	free(profile->program);
	free(profile->kernel);
	free(profile->milestone);
	free(profile->device);
	profile->command = strdup(command);
	profile->program = strdup(subject);
	profile->kernel = strdup(kernel.release);
	profile->milestone = strdup("");
	profile->device = strdup("");
	profile->recorded = time(NULL);
	profile->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	profile->runs = 1;
	if (!profile->command || !profile->program || !profile->kernel || !profile->milestone ||
		!profile->device)
		return -ENOMEM;
	return 0;
}

int snapshot_finish(struct snapshot *snapshot, const char *subject, const char *command, size_t files_max)
{
	int r;

	if (snapshot->profile.n_files == 0)
		return -ENODATA;
	leave_pages_once(snapshot);
	r = leave_out_beyond(snapshot, files_max);
	if (r == 0)
		r = describe(&snapshot->profile, subject, command);
	return r < 0 ? r : profile_finish(&snapshot->profile);
}
