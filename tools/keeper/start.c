/* SPDX-License-Identifier: MIT */
/*
 * The two parts of a user's learnt recording become more exact in different ways. Of everybody's files the daemon knows more than this user's
 * starts show, so that part is replaced by what the daemon has now. The user's own files are refined by each start that is seen.
 */
#include "keeper/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/paths/stranger.h"
#include "headstartd/learn/keep.h"
#include "lib/settings/plan-settings.h"
#include "plan/asked/asked.h"
#include "plan/asked/documents.h"
#include "plan/store/store.h"
#include "profile/edit.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/merge.h"
#include "profile/recordings/recordings.h"
#include "profile/refine/refine.h"
#include "profile/updates/carry.h"
#include "profile/updates/staleness.h"

#define STARTS_MAX 32 /* of one program */

/* ---- the first look at the user's files ---- */

struct looking {
	int fd; /* of the file */
	size_t page_size;
};

/* Of windows that the kernel mapped, only those pages that were in memory. */
static bool is_in_memory(void *context, struct profile_range *page)
{
	const struct looking *looking = context;
	unsigned char present = 1;
	void *map;

	if (!page->doubt.unsure)
		return true;
	map = mmap(NULL, looking->page_size, PROT_READ, MAP_SHARED, looking->fd,
		(off_t)((uint64_t)page->page * looking->page_size));
	if (map == MAP_FAILED)
		return false;
	if (mincore(map, looking->page_size, &present) < 0)
		present = 0;
	munmap(map, looking->page_size);
	return present & 1;
}

/* One that is gone, that the user cannot read, or that was replaced by something else than a file, is left out. */
static int know_file(void *context, struct profile_file *file)
{
	const struct profile *profile = context;
	_cleanup_close_ int fd = -1;
	int r;

	if (profile_file_identify(file) < 0)
		return 0;
	if (file->kind != PROFILE_REGULAR || file->n_ranges == 0)
		return 1;
	fd = open_regular(file->path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
	if (fd < 0)
		return 0;
	r = profile_file_edit(
		file, is_in_memory, &(struct looking){.fd = fd, .page_size = profile->page_size});
	if (r == 0)
		(void)profile_file_keep_landmarks(file, profile->page_size);
	return r < 0 ? r : 1;
}

/* Root hands over none of its own. */
static void keep_landmarks(struct profile *public)
{
	for (size_t i = 0; i < public->n_files; i++)
		if (public->files[i].n_ranges > 0 && !public->files[i].landmarks &&
			profile_file_staleness(&public->files[i], 1) == PROFILE_FRESH)
			(void)profile_file_keep_landmarks(&public->files[i], public->page_size);
}

/* ---- what is stored ---- */

struct stored {
	char *path; /* owned */
	int turn;   /* owned: to change what is stored; or -1 */
	struct recordings recordings;
	struct profile *match; /* of the same start; NULL: none */
};

static void stored_release(struct stored *stored)
{
	recordings_release(&stored->recordings);
	free(stored->path);
	if (stored->turn >= 0)
		close(stored->turn);
}

/* Without a key, all starts of the program are of one kind. */
static int load(struct stored *stored, const struct profile *start)
{
	enum profile_fault fault;
	int r = store_path_for_writing(STORE_PROFILE, start->program, &stored->path);

	if (r == 0)
		r = stored->turn = keep_lock();
	if (r >= 0)
		r = recordings_load(stored->path, &stored->recordings, &fault);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r; /* it may be a recording of a newer version, or be readable again later */
	if (!recordings_all_learnt(&stored->recordings))
		return -EEXIST;
	if (stored->recordings.n == 1 && !keep_is_host(start->program)) {
		stored->match = &stored->recordings.items[0];
		return 0;
	}
	plan_find_keys(&stored->recordings, false);
	stored->match = recordings_find(&stored->recordings, start);
	return 0;
}

/* ---- one start ---- */

/* For profile_keep_files(): what is neither in everybody's plan, nor was when it was kept. */
static int is_own(void *context, struct profile_file *file)
{
	const struct profile_file *other;
	struct stranger stranger;
	int r = profile_find_file(context, file->path, &other);

	return r < 0 ? r : !other && stranger_find(file->path, &stranger) != 0;
}

static bool is_judged(void *context, const char *path)
{
	return true; /* whatever is the user's is in what was seen */
}

/*
 * Makes of `own` what was known of the user's own files, made more exact by it. If it was another kind of start, the one that touched more
 * stays.
 */
static int refine(const struct profile *before, struct profile *public, struct profile *own, uint32_t found)
{
	_cleanup_(profile_releasep) struct profile known = {0};
	const struct refine_start start = {.seen = own, .found = found, .judged = is_judged};
	struct refine_result result;
	int r = profile_copy(before, &known);

	if (r == 0)
		r = profile_keep_files(&known, is_own, public);
	if (r < 0 || known.n_files == 0)
		return r;
	known.first_touches = known.first_pages = 0; /* a user may lead their own plan anywhere */
	r = profile_refine(&known, &start, &result);
	if (r < 0 && r != -ENODATA)
		return r;
	if (r == -ENODATA && profile_bytes(own) > profile_bytes(&known))
		return 0;
	profile_release(own);
	*own = known;
	known = (struct profile){0};
	return 0;
}

/* Both parts as one recording, in `public`. */
static int join(struct profile *public, struct profile *own)
{
	uint32_t runs = public->runs;
	int r;

	own->recorded = public->recorded - 1; /* the description is that of `public` */
	own->bias = public->bias;
	r = profile_merge(public, own);
	public->runs = runs;
	return r;
}

static int put(struct stored *stored, struct profile *recording)
{
	if (stored->match) {
		profile_release(stored->match);
		*stored->match = *recording;
		*recording = (struct profile){0};
		return 0;
	}
	while (stored->recordings.n >= STARTS_MAX)
		recordings_remove(&stored->recordings, 0);
	return recordings_add(&stored->recordings, recording);
}

/* A profile without a plan is of no use, and would stay for ever if the plan could not be made again. */
static int store(struct stored *stored, const char *program)
{
	bool is_new = stored->recordings.n == 1 && !stored->match;
	int r = recordings_save(&stored->recordings, stored->path, 0600);

	if (r == 0)
		r = keep_make_plans_in_turn(program);
	if (r < 0 && is_new)
		keep_forget_in_turn(program);
	return r;
}

/* By the user's own settings and rights. The next start is given other documents. */
static int describe(struct profile *public, struct profile *own)
{
	const char *const nothing[] = {public->program, NULL};
	const char *const *argv = own->n_arguments ? (const char *const *)own->arguments : nothing;
	_cleanup_close_ int folder = -1;
	struct asked_place place = ASKED_PLACE_HERE;
	struct asked asked;
	int r;

	if (public->folder && public->folder[0] == '/')
		folder = open(public->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0)
		place.folder = folder;
	r = keep_describe_start(public, argv, &place);
	if (r < 0)
		return r;
	asked_by_arguments_at(public->rule, argv, &place, &asked);
	documents_leave_out(own, &asked, place.folder, false);
	return 0;
}

int start_keep(struct profile *public, struct profile *own, uint32_t found)
{
	_cleanup_(stored_release) struct stored stored = {.turn = -1};
	_cleanup_free_ char *program = strdup(public->program);
	int r = program ? profile_keep_files(own, know_file, own) : -ENOMEM;

	if (r == 0)
		r = describe(public, own);
	if (r == 0)
		r = load(&stored, public);
	if (r == 0 && stored.match)
		r = refine(stored.match, public, own, found);
	if (r < 0 || own->n_files == 0)
		return r;
	keep_landmarks(public);
	r = join(public, own);
	if (r == 0)
		r = put(&stored, public);
	return r < 0 ? r : store(&stored, program);
}
