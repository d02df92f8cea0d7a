/* SPDX-License-Identifier: MIT */
/* Describes a recording, stores it, and makes plans of it: root's, the user's own, and those of programs inside. */
#include "verbs/record/keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "device/device.h"
#include "lib/files/output.h"
#include "lib/files/store-turn.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/publish.h"
#include "plan/refresh.h"
#include "plan/store/disks.h"
#include "profile/file/profile-file.h"
#include "profile/updates/closed.h"
#include "record/command/as-user.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/record/closed.h"
#include "verbs/record/output.h"
#include "verbs/record/store.h"

static void describe_device(struct profile *profile)
{
	_cleanup_close_ int fd = open_regular(profile->program, OPEN_NO_LINKS);
	struct device device;
	char *text;

	if (fd < 0 || device_of(fd, &device) < 0)
		return;
	disks_apply(&device);
	if (asprintf(&text, "%s %s", device.name, device_class_name(device.class)) < 0)
		return;
	free(profile->device);
	profile->device = text;
}

/* What the recording showed of the disks. Without it the plan goes by what they call themselves. */
static void learn_disks(const struct record_disks *disks, bool quiet)
{
	for (size_t i = 0; i < disks->n; i++) {
		const struct record_disk *disk = &disks->items[i];
		char model[DEVICE_MODEL_TEXT], samples[WORDS_MAX];
		struct device device;

		if (device_of_number(makedev(disk->device >> 20, disk->device & 0xfffff), &device) < 0 ||
			disks_learn(&device, disk->reads, disk->n) < 0 || quiet)
			continue;
		device_model_text(&device.model, model);
		verb_note("the disk '%s' was measured: %s (%s reads)", device.name, model,
			words_count(device.model.samples, samples));
	}
}

/* Writes down what was started, and how it ended. Returns 0 or negative errno. */
static int describe_start(struct record_result *result, const struct record_job *job)
{
	struct profile *profile = &result->profile;
	int r = profile_set_arguments(profile, (const char *const *)job->record.argv);

	profile->folder = job->folder ? strdup(job->folder) : NULL;
	profile->rule = strdup(job->rule);
	profile->asked_path = strdup(job->asked.text);
	profile->asked = job->asked.key;
	profile->status = (uint32_t)result->status;
	return profile->rule && profile->asked_path ? r : -ENOMEM;
}

/* What root has recorded for a user names files of this user, who has not chosen root's umask. */
static int write_for_user(const void *profile, const char *path)
{
	return profile_save(profile, path, 0600);
}

/* What a user may read is the user's to give away; what only root may read is for root alone. */
static int write_own(const void *profile, const char *path)
{
	return profile_save(
		profile, path, geteuid() == 0 && !profile_tells_everybody(profile) ? 0600 : output_mode());
}

static int save(struct profile *profile, const struct record_job *job, char **ret)
{
	int err;

	if (!job->output)
		return record_store(profile, job, job->record.user != NULL, ret);
	err = job->record.user ? record_forget_closed(profile, job->record.user, job->quiet) : 0;
	if (err)
		return verb_fail_errno(err, "cannot take out what '%s' may not read", job->record.user);
	err = record_write_output(
		job->record.user, job->output, job->record.user ? write_for_user : write_own, profile);
	if (err)
		return verb_fail_errno(err, "cannot write '%s'", job->output);
	*ret = strdup(job->output);
	return *ret ? 0 : verb_fail_errno(ENOMEM, "cannot say where the profile is");
}

/* Returns 0, or an exit status after printing the reason. */
static int make_plan(const struct profile *profile, bool quiet)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *why = NULL;
	_cleanup_close_ int turn = -1;
	char rule[ASKED_RULE_MAX];
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	int err;

	settings_read(&config, true, false);
	if (!settings_allow(&config, profile->program, &why)) {
		verb_note("no plan was made for '%s': %s", profile->program, why ? why : "denied");
		err = plan_remove(profile->program);
		return err ? verb_fail_errno(err, "cannot remove its old plan") : 0;
	}
	plan_settings(&config, &options);
	plan_host(profile->program, rule, &options);
	err = store_turn_take(&turn);
	if (err)
		return err;
	err = plan_refresh(profile->program, &options, &summary);
	if (!quiet)
		plan_note_left_out(&summary, profile->program);
	if (err == -ENODATA && summary.others > 0)
		(void)plan_remove(profile->program); /* the old plan may name files that others own */
	if (err == -ENODATA) {
		verb_note("there is nothing to prefetch for '%s': no plan was made", profile->program);
		return 0;
	}
	return err ? verb_fail_errno(err, "cannot make the plan of '%s'", profile->program) : 0;
}

struct own {
	struct profile *profile;
	const struct record_job *job;
};

/* Runs in a process that has become the user. */
static int keep_own(void *context)
{
	const struct own *own = context;
	_cleanup_free_ char *path = NULL;
	int r = record_forget_closed(own->profile, NULL, true);

	if (r < 0)
		return verb_fail_errno(r, "cannot take out what this user may not read");
	r = record_store(own->profile, own->job, false, &path);
	return r ? r : make_plan(own->profile, true);
}

/*
 * Root's plan leaves out the user's files. The user's own plan has everything, and the user's starts find it first. If
 * there is no place for it, the recording succeeds all the same.
 */
static void keep_for_user(struct profile *profile, const struct record_job *job)
{
	struct own own = {profile, job};
	const char *user = job->record.user;
	int r = as_user(user, keep_own, &own);

	if (r == -EINTR)
		verb_note("no plan was made for '%s' alone: it took too long, or was ended", user);
	else if (r < 0)
		verb_note("no plan was made for '%s' alone: %s", user, strerror(-r));
	else if (r > 0)
		verb_note("no plan was made for '%s' alone: root's plan serves everybody", user);
	else if (!job->quiet)
		verb_note("a second plan, for '%s' alone, also names this user's files", user);
}

int record_keep_inside_take(void *context, struct profile *profile)
{
	const struct record_job *job = context;

	describe_device(profile);
	return record_inside_take(&job->inside, profile);
}

static void keep_inside(const struct record_job *job, const struct record_result *result)
{
	int r = result->inside_error
		?: record_inside_keep(&job->inside, job->record.user != NULL, job->quiet);

	if (r < 0)
		verb_note("no plan was made for a start inside: %s", strerror(-r));
}

int record_keep(const struct record_job *job, struct record_result *result, char **ret_path)
{
	_cleanup_(profile_releasep) struct profile of_user = {0};
	_cleanup_free_ char *path = NULL;
	int r;

	if (!job->output)
		learn_disks(&result->disks, job->quiet || job->json);
	describe_device(&result->profile);
	r = describe_start(result, job);
	/* Storing it makes it the sum of all that root has, which is not the user's. */
	if (r == 0 && !job->output && job->record.user)
		r = profile_copy(&result->profile, &of_user);
	if (r < 0)
		return verb_fail_errno(r, "cannot keep the recording");
	r = save(&result->profile, job, &path);
	if (r == 0 && !job->output)
		r = make_plan(&result->profile, job->quiet);
	if (r == 0 && !job->output && job->record.user)
		keep_for_user(&of_user, job);
	if (r == 0 && job->record.inside)
		keep_inside(job, result);
	if (r == 0)
		*ret_path = TAKE_PTR(path);
	return r;
}
