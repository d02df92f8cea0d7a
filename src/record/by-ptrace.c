/* SPDX-License-Identifier: MIT */
/* Records by ptrace, without privileges, and changes nothing on the machine but what is cached of the start's own files. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "record/backend.h"
#include "record/follow/filter.h"
#include "record/follow/pages/exact-faults.h"

#define BEGIN_MS 5 /* between two looks whether the command has begun */

int record_probe_ptrace(void)
{
	return follow_filter(false, false) ? follow_probe() : -EOPNOTSUPP;
}

static int set_up(struct session *session, enum record_step *step)
{
	*step = RECORD_STEP_FOLLOW;
	session->exact = exact_faults_possible() && page_tables_can_ask();
	session->filter = follow_filter(session->options->functions, session->exact);
	return session->filter ? 0 : -EOPNOTSUPP;
}

static int begin(struct session *session, enum record_step *step)
{
	*step = RECORD_STEP_FOLLOW;
	return follow_new(
		&(struct follow_options){
			.command = session->command.pid,
			.opens = &session->opens,
			.trace = &session->trace,
			.make_cold = !session->options->keep_cache,
			.functions = session->options->functions,
			.exact = session->exact,
			.unprivileged = session->command.bereft,
		},
		&session->follow);
}

static bool is_settled(const struct follow *follow)
{
	return follow_has_begun(follow) || follow_all_ended(follow);
}

static int go(struct session *session)
{
	uint64_t deadline_ms = monotonic_ms() + session->command.patience_ms;
	int r = command_open_gate(&session->command);

	while (r == 0 && !is_settled(session->follow)) {
		r = follow_pump(session->follow, BEGIN_MS);
		if (r == 0 && !is_settled(session->follow))
			r = command_check(&session->command, deadline_ms);
	}
	if (r == 0)
		r = command_outcome(&session->command);
	return r == 0 && !follow_has_begun(session->follow) ? -EINTR : r; /* it has been ended and reaped */
}

static int gather(struct session *session, int milliseconds)
{
	int r = follow_pump(session->follow, (unsigned)milliseconds);

	session->command_ended = follow_command_ended(session->follow, &session->status);
	session->tree_ended = follow_all_ended(session->follow);
	return r;
}

static int stop(struct session *session, enum record_step *step)
{
	*step = RECORD_STEP_RECORD;
	return follow_stop_recording(session->follow, &session->following);
}

static void hand_over(struct session *session, struct record_result *result)
{
	result->following = session->following;
	session->following = (struct follow_summary){0};
	result->running = !session->tree_ended;
	if (result->running)
		result->follow = TAKE_PTR(session->follow);
}

static void release(struct session *session)
{
	follow_notes_release(&session->following.notes);
	profile_functions_free(session->following.functions);
	follow_free(session->follow);
}

const struct backend backend_ptrace = {
	.name = PROFILE_BACKEND_PTRACE,
	.looks = true,
	.set_up = set_up,
	.begin = begin,
	.go = go,
	.gather = gather,
	.stop = stop,
	.hand_over = hand_over,
	.release = release,
};
