/* SPDX-License-Identifier: MIT */
#include "headstartd/learn/refine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "headstartd/learn/keep.h"
#include "lib/settings/plan-settings.h"
#include "plan/asked/documents.h"
#include "plan/store/store.h"
#include "prefetch/stale-mark.h"
#include "profile/file/profile-file.h"
#include "profile/refine/refine.h"
#include "profile/updates/carry.h"
#include "profile/updates/staleness.h"
#include "replace/publish.h"

void refining_release(struct refining *refining)
{
	recordings_release(&refining->stored);
	free(refining->path);
	*refining = (struct refining){0};
}

/* Without a key, all starts of the program are of one kind. */
static struct profile *find_recording(struct refining *refining)
{
	_cleanup_(profile_releasep) struct profile like = {0};

	if (refining->stored.n == 1 && !keep_is_host(refining->program))
		return &refining->stored.items[0];
	like.program = strdup(refining->program);
	if (!like.program || keep_describe_start(&like, refining->argv, &refining->place) < 0)
		return NULL;
	plan_find_keys(&refining->stored, true);
	return recordings_find(&refining->stored, &like);
}

static int load(struct refining *refining)
{
	enum profile_fault fault;
	int r = store_find(STORE_PROFILE, refining->program, &refining->path);

	if (r == 0 && stat(refining->path, &refining->file) < 0)
		r = -errno;
	if (r == 0)
		r = recordings_load(refining->path, &refining->stored, &fault);
	return r;
}

/*
 * What was watched has nothing that others can change or not see, and nothing that was named as a document. What was recorded may have: it
 * is not looked at.
 */
static bool is_judged(void *context, const char *path)
{
	const struct refining *refining = context;
	struct stranger stranger;

	return stranger_find_unasked(path, &stranger) == 0 && may_show_of(refining->program, path);
}

bool refining_load(struct refining *refining)
{
	refining->recording = load(refining) == 0 ? find_recording(refining) : NULL;
	return refining->recording != NULL;
}

/* The next start is given another document. */
static void leave_out_documents(const struct refining *refining, struct profile *seen)
{
	struct asked asked;

	if (keep_describe_start(seen, refining->argv, &refining->place) < 0)
		return;
	asked_by_arguments_at(seen->rule, refining->argv, &refining->place, &asked);
	documents_leave_out(seen, &asked, refining->place.folder, true);
}

/* New files have none yet. */
static void add_landmarks(struct refining *refining)
{
	struct profile *recording = refining->recording;

	for (size_t i = 0; i < recording->n_files; i++) {
		struct profile_file *file = &recording->files[i];

		if (file->n_ranges > 0 && !file->landmarks && is_judged(refining, file->path) &&
			profile_file_staleness(file, 1) == PROFILE_FRESH)
			(void)profile_file_keep_landmarks(file, recording->page_size);
	}
}

static bool is_unchanged(const void *context)
{
	const struct refining *refining = context;
	struct stat now;

	return stat(refining->path, &now) == 0 && now.st_ino == refining->file.st_ino &&
		now.st_dev == refining->file.st_dev && now.st_size == refining->file.st_size &&
		now.st_mtim.tv_sec == refining->file.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == refining->file.st_mtim.tv_nsec;
}

/* What is stored, and what the plan is made of. */
struct image {
	void *data, *planned; /* owned */
	size_t size, planned_size;
};

static void image_releasep(struct image *image)
{
	free(image->data);
	free(image->planned);
}

static int image_take(const struct refining *refining, struct image *image)
{
	int r = recordings_serialize(&refining->stored, &image->data, &image->size);

	return r < 0 ? r
		     : profile_serialize_planned(refining->recording, &image->planned, &image->planned_size);
}

static bool is_same(const void *a, size_t size_a, const void *b, size_t size_b)
{
	return size_a == size_b && memcmp(a, b, size_a) == 0;
}

/* Until the plan is made anew: the daemon may be killed in between, and would find nothing to change the next time. */
static void mark_plan(const struct refining *refining)
{
	_cleanup_free_ char *plan = NULL;

	if (store_path_for_writing(STORE_PLAN, refining->program, &plan) == 0)
		(void)plan_mark_stale(plan);
}

/* Writes what is different now. */
static int store(struct refining *refining, const struct image *before, bool *ret_changed)
{
	_cleanup_(image_releasep) struct image now = {0};
	_cleanup_close_ int lock = -1;
	int r = image_take(refining, &now);
	bool replans;

	*ret_changed = r == 0 && !is_same(now.data, now.size, before->data, before->size);
	if (r < 0 || !*ret_changed)
		return r;
	lock = keep_lock();
	if (lock < 0)
		return lock;
	replans = !is_same(now.planned, now.planned_size, before->planned, before->planned_size);
	if (replans)
		mark_plan(refining);
	/* It says what a user's start did. */
	r = publish_file_if(refining->path, 0600, now.data, now.size, is_unchanged, refining);
	return r < 0 || !replans ? r : keep_make_plans_in_turn(refining->program);
}

struct refined refining_finish(struct refining *refining, struct profile *seen, uint32_t found)
{
	const struct refine_start start = {
		.seen = seen, .found = found, .judged = is_judged, .context = refining};
	struct refined refined = {0};
	struct refine_result result;
	_cleanup_(image_releasep) struct image before = {0};
	uint64_t bytes;

	if (seen->bias & PROFILE_BIAS_LOST)
		return refined;
	leave_out_documents(refining, seen);
	if (image_take(refining, &before) < 0 || profile_refine(refining->recording, &start, &result) < 0)
		return refined;
	add_landmarks(refining);
	refined.key = refining->recording->asked;
	bytes = keep_size(refining->program, refined.key);
	if (store(refining, &before, &refined.changed) < 0)
		return (struct refined){0};
	refined.learnt = true;
	refined.better = result.joined || result.left || result.confirmed;
	refined.grown = (int64_t)(keep_size(refining->program, refined.key) - bytes);
	return refined;
}
