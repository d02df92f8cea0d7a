/* SPDX-License-Identifier: MIT */
/* Takes what is in memory of what the user named. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/strings.h"
#include "format/plan.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/snapshot/snapshot.h"

/* Cuts a folder that ends with '/' back to the one that has the path as well. */
static void cut_to_common(char *folder, const char *path)
{
	size_t common = 0;

	for (size_t i = 0; folder[i] && folder[i] == path[i]; i++)
		if (folder[i] == '/')
			common = i + 1;
	folder[common] = '\0';
}

/* Adds one path. `folder` becomes, or stays, one that has all of them. */
static int add_path(struct snapshot *snapshot, const char *name, char folder[PATH_MAX])
{
	_cleanup_free_ char *path = realpath(name, NULL);
	char whole[PATH_MAX];
	struct stat st;
	size_t length;
	int r;

	if (!path)
		return verb_fail_errno(errno, "cannot take a snapshot of '%s'", name);
	r = snapshot_add(snapshot, path);
	if (r == -EINVAL)
		return verb_fail("'%s' is neither a file nor a folder", name);
	if (r == -EFBIG)
		return verb_fail("'%s' is too large for a snapshot", name);
	if (r < 0)
		return verb_fail_errno(r, "cannot take a snapshot of '%s'", name);
	length = strlen(path);
	if (length + 2 > sizeof(whole))
		return verb_fail_errno(ENAMETOOLONG, "cannot take a snapshot of '%s'", name);
	memcpy(whole, path, length + 1);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !streq(path, "/"))
		strcpy(whole + length, "/");
	if (folder[0] == '\0')
		strcpy(folder, whole);
	cut_to_common(folder, whole);
	return 0;
}

int snapshot_take(char *const *paths, struct snapshot *ret)
{
	char folder[PATH_MAX] = "";
	int r;

	for (; *paths; paths++) {
		r = add_path(ret, *paths, folder);
		if (r)
			return r;
	}
	if (folder[0] == '\0') {
		strcpy(folder, "/");
		r = snapshot_add_disks(ret, "/proc/self/mountinfo");
		if (r < 0)
			return verb_fail_errno(r, "cannot take a snapshot of the disks");
	}
	r = snapshot_finish(ret, folder, "", PLAN_FILES_MAX);
	if (r == -ENODATA)
		return verb_fail("nothing of '%s' is in memory", folder);
	return r < 0 ? verb_fail_errno(r, "cannot take a snapshot of '%s'", folder) : 0;
}

/* "3 files are left out: WHY", if there are any. */
static void note(size_t n, const char *one, const char *many, const char *why_one, const char *why_many)
{
	char count[WORDS_MAX];

	if (n > 0)
		verb_note("%s %s left out: %s", words_count(n, count), plural_of(n, one, many),
			plural_of(n, why_one, why_many));
}

void snapshot_note_left_out(const struct snapshot *snapshot, const struct plan_summary *summary)
{
	if (geteuid() == 0)
		note(snapshot->hidden, "file is", "files are",
			"the kernel does not tell which of its pages are in memory",
			"the kernel does not tell which of their pages are in memory");
	else
		note(snapshot->hidden, "file is", "files are",
			"only its owner and root may ask which of its pages are in memory",
			"only their owner and root may ask which of their pages are in memory");
	note(snapshot->unreadable, "file or folder is", "files and folders are", "this user may not read it",
		"this user may not read them");
	note(snapshot->silent, "disk is", "disks are",
		"its file system does not tell which names are in memory; name its folder to have them",
		"their file systems do not tell which names are in memory; name their folders to have them");
	note(snapshot->dropped, "name is", "names are", "a snapshot has at most 262,144",
		"a snapshot has at most 262,144");
	note(summary->in_memory, "file is", "files are", "it lies in memory alone (tmpfs)",
		"they lie in memory alone (tmpfs)");
	note(summary->uncached, "file is", "files are",
		"its FUSE file system caches nothing from one open to the next",
		"their FUSE file systems cache nothing from one open to the next");
	note(summary->stale + summary->gone, "file is", "files are",
		"it changed while the snapshot was taken", "they changed while the snapshot was taken");
}
