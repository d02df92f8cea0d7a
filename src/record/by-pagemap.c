/* SPDX-License-Identifier: MIT */
/* Records by looking at page tables now and then, where neither trace events nor ptrace can be had. */
#include <errno.h>
#include <poll.h>

#include "base/run/process-tree.h"
#include "base/times.h"
#include "record/backend.h"
#include "record/follow/sampler.h"

static int begin(struct session *session, enum record_step *step)
{
	const struct sampler_options options = {
		.top = session->command.pid,
		.below_us = true,
		.opens = &session->opens,
		.trace = &session->trace,
	};
	int r;

	*step = RECORD_STEP_FOLLOW;
	r = sampler_new(&options, &session->sampler);
	return r < 0 ? r
		     : sampler_expect(session->sampler, session->options->program, session->command.pid,
			       !session->options->keep_cache);
}

static int go(struct session *session)
{
	int r = command_go(&session->command);

	return r ? r : sampler_look(session->sampler);
}

/* Looks when it is time to, and otherwise waits for a signal, a mark or a window. */
static int gather(struct session *session, int milliseconds)
{
	struct pollfd fds[] = {
		{.fd = session->signals, .events = POLLIN},
		{.fd = session->options->mark, .events = POLLIN},
		{.fd = session_window(session), .events = POLLIN},
	};
	uint64_t end = monotonic_ms() + (uint64_t)milliseconds;
	int r = 0, ready = 0;

	while (r == 0 && ready == 0 && !session->tree_ended && monotonic_ms() < end) {
		ready = poll(fds, sizeof(fds) / sizeof(*fds), sampler_pause(session->sampler));
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (sampler_pause(session->sampler) == 0)
			r = sampler_look(session->sampler);
		session->tree_ended =
			process_tree_reap(session->command.pid, &session->command_ended, &session->status);
	}
	return r;
}

static int stop(struct session *session, enum record_step *step)
{
	int r;

	*step = RECORD_STEP_RECORD;
	r = sampler_look(session->sampler);
	sampler_summarize(session->sampler, &session->following);
	return r;
}

static void hand_over(struct session *session, struct record_result *result)
{
	result->following = session->following;
	result->running = !session->command_ended;
}

static void release(struct session *session)
{
	sampler_free(session->sampler);
}

const struct backend backend_pagemap = {
	.name = PROFILE_BACKEND_PAGEMAP,
	.looks = true,
	.begin = begin,
	.go = go,
	.gather = gather,
	.stop = stop,
	.hand_over = hand_over,
	.release = release,
};
