/* SPDX-License-Identifier: MIT */
/* Adds a recording to the stored ones of its program, if it is worth that. */
#include "verbs/record/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/store-turn.h"
#include "plan/publish.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "profile/functions.h"
#include "profile/recordings/merge.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/closed.h"
#include "report/touched.h"
#include "report/words.h"
#include "verb.h"

/* A start is much shorter than another if it touched less than this part of what that did: one half. */
#define SHORT_SHARE 2

/* Reads the recordings that are stored. If these are damaged, there are none. Returns 0, or an exit status after printing why they cannot be read. */
static int load_stored(const char *path, const char *rule, struct recordings *ret)
{
	enum profile_fault fault;
	int r = recordings_load(path, ret, &fault);

	if (r < 0 && r != -ENOENT && r != -EBADMSG && r != -EFBIG)
		return verb_fail_errno(r, "not kept: cannot read '%s', which has earlier recordings", path);
	if (r == -EBADMSG || r == -EFBIG)
		verb_note("'%s' %s; it is replaced", path,
			r == -EBADMSG ? profile_fault_text(fault) : strerror(-r));
	for (size_t i = 0; i < ret->n; i++)
		(void)plan_find_asked(&ret->items[i], rule, false);
	return 0;
}

/* The stored recording of the same start. One that does not know its arguments, of an older headstart, counts as that. */
static struct profile *find_same(const struct recordings *stored, const struct profile *profile)
{
	struct profile *same = recordings_find(stored, profile);

	for (size_t i = 0; !same && i < stored->n; i++)
		if (stored->items[i].n_arguments == 0)
			same = &stored->items[i];
	return same;
}

/* Whether the recording has its functions to give, and its pages are worse than those of the stored one. */
static bool brings_functions(const struct profile *profile, const struct profile *same)
{
	return same && profile->functions && !(same->bias & PROFILE_BIAS_CALLED);
}

/* Returns 0 if the recording is good enough to be kept, or an exit status after printing why it is not. */
static int check_worth(const struct profile *profile, const struct profile *same)
{
	int status = (int)profile->status;
	char now[WORDS_MAX], before[WORDS_MAX];
	bool as_before = same && same->status == profile->status;

	if (WIFSIGNALED(status) && !as_before)
		return verb_fail("not kept: '%s' was ended by signal %d (--force keeps it)", profile->program,
			WTERMSIG(status));
	if (WEXITSTATUS(status) && !as_before)
		return verb_fail("not kept: '%s' exited with status %d (--force keeps it)", profile->program,
			WEXITSTATUS(status));
	if (same && !brings_functions(profile, same) &&
		profile_bytes(profile) < profile_bytes(same) / SHORT_SHARE)
		return verb_fail(
			"not kept: this start of '%s' touched %s, the one recorded before %s (--force keeps it)",
			profile->program, words_bytes(touched_bytes(profile), now),
			words_bytes(touched_bytes(same), before));
	return 0;
}

static int become_copy_of(const struct profile *original, struct profile *profile)
{
	_cleanup_(profile_releasep) struct profile copy = {0};
	int r = profile_copy(original, &copy);

	if (r < 0)
		return r;
	profile_release(profile);
	*profile = copy;
	copy = (struct profile){0};
	return 0;
}

/*
 * Functions and pages of a start are recorded one after the other, and each recording leaves what the other has found:
 * pages of a recording with functions do not replace better ones, and one without keeps the functions.
 */
static int join_functions(struct profile *same, struct profile *profile, bool merge)
{
	int r;

	if (!same)
		return 0;
	if (!brings_functions(profile, same))
		return profile->functions ? 0 : profile_functions_copy(same->functions, &profile->functions);
	if (!merge)
		profile_functions_free(TAKE_PTR(same->functions));
	r = profile_functions_merge(&same->functions, profile->functions);
	return r < 0 ? r : become_copy_of(same, profile);
}

/* Puts a copy of the recording in place of that of the same start, merged with it if `merge`, or beside the others. */
static int put_recording(struct recordings *stored, struct profile *same, struct profile *profile, bool merge)
{
	_cleanup_(profile_releasep) struct profile copy = {0};
	int r;

	if (same && merge) {
		r = profile_merge(same, profile);
		return r < 0 ? r : become_copy_of(same, profile);
	}
	if (same)
		return become_copy_of(profile, same);
	r = profile_copy(profile, &copy);
	return r < 0 ? r : recordings_add(stored, &copy);
}

mode_t record_store_mode(const char *path, const struct profile *profile, bool for_user)
{
	struct stat st;

	return for_user || !profile_tells_everybody(profile) || (stat(path, &st) == 0 && !(st.st_mode & 044))
		? 0600
		: store_mode();
}

int record_store(struct profile *profile, const struct record_job *job, bool for_user, char **ret)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int lock = -1;
	struct profile *same;
	bool joined;
	int err = store_path_for_writing(STORE_PROFILE, profile->program, &path);

	if (err)
		return no_state_folder(err, NULL);
	err = store_turn_take(&lock);
	if (err)
		return err;
	err = load_stored(path, job->rule, &stored);
	if (err)
		return err;
	if (stored.n > 0 && stored.items->page_size != profile->page_size) {
		verb_note("'%s' was recorded with pages of another size; it is replaced", path);
		recordings_release(&stored);
	}
	same = find_same(&stored, profile);
	err = job->force ? 0 : check_worth(profile, same);
	if (err)
		return err;
	joined = brings_functions(profile, same);
	err = join_functions(same, profile, job->merge);
	if (err == 0)
		err = put_recording(&stored, same, profile, job->merge && !joined);
	if (err == -E2BIG)
		return verb_fail("'%s' has %zu recordings, which is the most: 'headstart forget' makes room",
			profile->program, stored.n);
	if (err)
		return verb_fail_errno(err, "cannot add the recording to '%s'", path);
	err = recordings_save(&stored, path, record_store_mode(path, profile, for_user));
	if (err)
		return verb_fail_errno(err, "cannot write '%s'", path);
	*ret = TAKE_PTR(path);
	return 0;
}
