/* SPDX-License-Identifier: MIT */
/* The same without root: by page tables and open files, now and then. */
#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "record/follow/pages/page-tables.h"
#include "record/follow/sampler.h"
#include "record/running/attach.h"

#define POLL_MS 40

struct looking {
	struct mounts mounts;
	struct opens opens;
	struct record_trace trace;
	struct sampler *sampler;
};

static void looking_release(struct looking *looking)
{
	sampler_free(looking->sampler);
	opens_release(&looking->opens);
	mounts_release(&looking->mounts);
	record_trace_release(&looking->trace);
}

static int check(int32_t pid)
{
	_cleanup_close_ int pagemap = page_tables_open(pid);

	if (pagemap >= 0)
		return 0;
	return kill(pid, 0) < 0 && errno == ESRCH ? -ESRCH : -EACCES;
}

int attach_look(const struct attach_options *options, enum record_step *ret_step)
{
	_cleanup_(looking_release) struct looking looking = {.opens = OPENS_INIT};
	struct sampler_options sampling = {
		.top = options->top, .opens = &looking.opens, .trace = &looking.trace};
	struct record_seen seen = {.trace = &looking.trace, .files = &looking.opens.files};
	int r;

	*ret_step = RECORD_STEP_FOLLOW;
	r = check(options->top);
	if (r < 0)
		return r;
	*ret_step = RECORD_STEP_MOUNTS;
	r = mounts_read(&looking.mounts);
	if (r < 0)
		return r;
	opens_start_empty(&looking.opens, &looking.mounts);
	*ret_step = RECORD_STEP_RECORD;
	r = sampler_new(&sampling, &looking.sampler);
	while (r == 0) {
		int pause = sampler_pause(looking.sampler);

		poll(NULL, 0, pause > POLL_MS ? pause : POLL_MS);
		seen.complete = monotonic_ns();
		r = sampler_look(looking.sampler);
		if (r == 0)
			r = options->watch(options->context, &seen);
	}
	return r < 0 ? r : 0;
}
