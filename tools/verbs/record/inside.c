/* SPDX-License-Identifier: MIT */
/* A result is struct result, then the profile as in its file, then the plan. */
#include "verbs/record/inside.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/plural.h"
#include "lib/files/store-turn.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/build/build.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "verb.h"
#include "verbs/record/store.h"

struct result {
	uint64_t profile_size, plan_size; /* bytes */
	uint64_t files;                   /* in the plan */
};

int record_inside_init(struct record_inside *inside)
{
	struct stat st;
	int r;

	*inside = (struct record_inside){.results = -1};
	r = store_folder(&inside->state);
	if (r < 0)
		return r;
	if (stat(inside->state, &st) < 0)
		return -errno;
	inside->state_device = st.st_dev;
	inside->state_inode = st.st_ino;
	inside->results = memfd_create("headstart-inside", MFD_CLOEXEC);
	return inside->results < 0 ? -errno : 0;
}

void record_inside_release(struct record_inside *inside)
{
	if (inside->results >= 0)
		close(inside->results);
	free(inside->state);
}

static bool sees_state(const struct record_inside *inside)
{
	struct stat st;

	return stat(inside->state, &st) == 0 && st.st_dev == inside->state_device &&
		st.st_ino == inside->state_inode;
}

static int put(int fd, const struct result *result, const void *profile, const void *plan)
{
	int r = write_full(fd, result, sizeof(*result));

	if (r == 0)
		r = write_full(fd, profile, result->profile_size);
	return r < 0 ? r : write_full(fd, plan, result->plan_size);
}

int record_inside_take(const struct record_inside *inside, const struct profile *profile)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ void *written = NULL, *plan = NULL;
	_cleanup_free_ char *why = NULL;
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	size_t profile_size, plan_size;
	int r;

	if (!sees_state(inside))
		return 0;
	settings_read(&config, true, true);
	if (!settings_allow(&config, profile->program, &why))
		return 0;
	plan_settings(&config, &options);
	r = plan_build(profile, &options, &plan, &plan_size, &summary);
	if (r == -ENODATA)
		return 0;
	if (r == 0)
		r = profile_serialize(profile, &written, &profile_size);
	if (r == 0)
		r = put(inside->results, &(struct result){profile_size, plan_size, summary.files}, written,
			plan);
	return r < 0 ? VERB_FAILED : 0;
}

/* A program of that path here has a profile of its own, or will have one. */
static bool clashes(const char *program, bool quiet)
{
	if (access(program, F_OK) < 0)
		return false;
	if (!quiet)
		verb_note("no plan was made for a start of '%s' inside: another program has this path here",
			program);
	return true;
}

static int keep(const struct result *result, const void *data, bool for_user, bool quiet)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_free_ char *profile_path = NULL, *plan_path = NULL;
	int r;

	if (profile_parse(data, result->profile_size, &profile) != PROFILE_GOOD)
		return -EBADMSG;
	if (clashes(profile.program, quiet))
		return 0;
	r = store_path_for_writing(STORE_PROFILE, profile.program, &profile_path);
	if (r == 0)
		r = store_path_for_writing(STORE_PLAN, profile.program, &plan_path);
	if (r == 0)
		r = profile_save(&profile, profile_path, record_store_mode(profile_path, &profile, for_user));
	if (r == 0)
		r = store_publish_plan(plan_path, store_mode(), (const char *)data + result->profile_size,
			result->plan_size);
	if (r == 0 && !quiet)
		verb_note(
			"a second plan, of %llu file%s, is for a start of '%s' inside, where that program was found",
			(unsigned long long)result->files, plural(result->files), profile.program);
	return r;
}

int record_inside_keep(const struct record_inside *inside, bool for_user, bool quiet)
{
	_cleanup_close_ int lock = -1;
	struct result result;
	off_t at = 0;
	int r = 0;

	while (r == 0 && pread_full(inside->results, &result, sizeof(result), at) == sizeof(result)) {
		size_t size = result.profile_size + result.plan_size;
		_cleanup_free_ void *data = malloc(size);

		if (!data)
			return -ENOMEM;
		at += (off_t)sizeof(result);
		if (pread_full(inside->results, data, size, at) != (ssize_t)size)
			return -EBADMSG; /* the child was ended */
		at += (off_t)size;
		if (lock < 0)
			r = store_turn_take(&lock);
		if (r == 0)
			r = keep(&result, data, for_user, quiet);
	}
	return r;
}
