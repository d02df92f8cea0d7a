/* SPDX-License-Identifier: MIT */
/* Makes the profile of what a recording has gathered: names, sizes, touches, and what is said of the recording. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/refine/refine.h"
#include "profile/updates/carry.h"
#include "record/backend.h"
#include "record/names/image.h"
#include "record/names/resolve.h"
#include "record/names/unnamed.h"
#include "record/profiles/assemble.h"
#include "record/profiles/describe.h"
#include "record/profiles/inside.h"
#include "record/profiles/metadata.h"

/* What is known of a start that was followed. */
static uint32_t biases_of_following(const struct session *session)
{
	const struct follow_summary *following = &session->following;
	uint32_t bias = PROFILE_BIAS_ORDER;

	if (session->backend->name == PROFILE_BACKEND_PAGEMAP)
		bias |= PROFILE_BIAS_SAMPLED;
	if (session->options->keep_cache || following->files_kept)
		bias |= PROFILE_BIAS_RESIDENT;
	if (following->pages_around)
		bias |= PROFILE_BIAS_AROUND;
	if (following->functions)
		bias |= PROFILE_BIAS_CALLED;
	if (following->processes_unplanted || following->processes_unseen || following->serves ||
		following->notes.tracer || following->notes.uring)
		bias |= PROFILE_BIAS_UNSEEN;
	return bias;
}

static uint32_t biases(const struct session *session, const struct assemble_summary *summary)
{
	uint32_t bias = session->backend->looks ? biases_of_following(session) : 0;

	if (!session->backend->looks && (session->options->keep_read_ahead || session->restore.read_ahead_on))
		bias |= PROFILE_BIAS_READAHEAD;
	if (!session->backend->looks && (summary->pages_resident || session->options->keep_cache))
		bias |= PROFILE_BIAS_RESIDENT;
	if (session->trace.lost || session->opens.lost)
		bias |= PROFILE_BIAS_LOST;
	if (streq(session->milestone, "timeout"))
		bias |= PROFILE_BIAS_TIMEOUT;
	return bias;
}

/* The start begins with the recorded program, even if its exec event was lost. */
static int ensure_program(struct session *session)
{
	uint64_t started = (uint64_t)(session->started * 1e9);

	for (size_t i = 0; i < session->trace.n_execs; i++)
		if (streq(session->trace.execs[i].path, session->options->program))
			return 0;
	return record_trace_add_exec(
		&session->trace, started, session->command.pid, session->options->program);
}

/* Before the lists are resolved: the children resolve them by the names of their own namespaces. */
static int make_profiles_inside(struct session *session, struct record_result *result)
{
	const struct inside_options options = {
		.here = &session->mounts,
		.added_is_touch = session->only_added,
		.work = session->options->inside,
		.context = session->options->context,
	};

	for (size_t i = 0; options.work && i < session->opens.views.count; i++) {
		int r = inside_run(
			&session->opens.views.items[i], &session->trace, &result->profile, &options);

		if (r == -ENOMEM)
			return r;
		if (r < 0 && r != -ENOENT)
			result->inside_error = r;
	}
	return 0;
}

static int resolve(struct session *session, struct record_result *result)
{
	int r = session->opens.fd < 0 && !session->backend->looks
		? resolve_by_walking(&session->opens.files, &session->trace, &session->mounts)
		: 0;

	if (r == 0)
		r = resolve_files(&session->opens.files, &session->trace, NULL);
	if (r == 0)
		r = unnamed_count(&session->opens, &session->trace, &result->files_unnamed);
	if (r == 0)
		r = resolve_programs(&session->trace, &session->opens.files, false);
	return r;
}

int session_make_profile(struct session *session, struct record_result *result)
{
	struct assemble_summary summary;
	int r = record_describe(&result->profile, (const char *const *)session->options->argv,
		session->options->program, session->milestone);

	result->profile.backend = session->backend->name;
	result->profile.bias = biases(session, &(struct assemble_summary){0});
	if (r == 0)
		r = make_profiles_inside(session, result);
	if (r == 0 && !session->backend->looks)
		r = images_add_events(&session->opens, session->restore.sysfs, &session->trace);
	if (r == 0)
		r = resolve(session, result);
	if (r == 0)
		r = ensure_program(session);
	if (r == 0)
		r = metadata_add(&session->trace, &session->mounts, &result->profile);
	if (r == 0)
		r = assemble(&session->trace, &session->opens.files, session->only_added, &result->profile,
			&summary);
	if (r < 0)
		return r;
	profile_clear_doubts(&result->profile);
	profile_identify(&result->profile);
	result->profile.bias = biases(session, &summary) | (result->files_unnamed ? PROFILE_BIAS_UNNAMED : 0);
	result->profile.functions = TAKE_PTR(session->following.functions);
	profile_keep_places(result->profile.functions);
	result->pages_resident = session->backend->looks ? 0 : summary.pages_resident;
	result->events_unknown = summary.events_unknown;
	result->names_by_walking = session->opens.fd < 0 && !session->backend->looks;
	return 0;
}
