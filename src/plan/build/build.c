/* SPDX-License-Identifier: MIT */
/* Turns a profile into a plan, by passes that have a file each (draft.h). */
#include "plan/build/build.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "plan/build/draft.h"

/* What is known of a start, and not of what was just in memory. */
static int know_start(struct plan_draft *draft)
{
	int r = draft_probe(draft);

	if (r >= 0)
		r = draft_static_tls(draft);
	return r;
}

static int run_passes(struct plan_draft *draft, const struct plan_options *options)
{
	int r = draft_select(draft, options);

	if (r >= 0)
		r = draft_cut(draft, options->budget);
	if (r < 0)
		return r;
	if (draft->snapshot ? draft->n_files == 0 : draft->n_extents == 0 && !draft->rule)
		return -ENODATA;

	/* From here on no touched page is dropped, so that a probe stays in the plan. */
	if (!draft->snapshot)
		r = know_start(draft);
	if (r >= 0)
		r = draft_place(draft);
	if (r >= 0 && !draft->snapshot)
		r = draft_wait(draft);
	if (r >= 0 && !options->no_metadata)
		r = draft_metadata(draft);
	if (r < 0)
		return r;
	draft_merge(draft, options->budget);
	r = draft_touch_blocks(draft);
	if (r < 0)
		return r;

	/* From here on only the order changes. */
	r = draft_sort(draft);
	if (r >= 0)
		draft_saving(draft);
	return r;
}

static void summarize(struct plan_draft *draft)
{
	struct plan_summary *summary = &draft->summary;

	summary->device = draft->device;
	summary->wait_ms = draft->wait_ms;
	summary->files = draft->n_files;
	summary->extents = draft->n_extents;
	for (size_t i = 0; i < draft->n_metadata; i++)
		summary->metadata += draft_bytes(draft, draft->metadata[i].pages);
	for (size_t i = 0; i < draft->n_extents; i++) {
		if (draft->extents[i].touch)
			continue;
		summary->bytes += draft_bytes(draft, draft->extents[i].pages);
		summary->gap_bytes += draft_bytes(draft, draft->extents[i].gap);
	}
}

int plan_build(const struct profile *profile, const struct plan_options *options, void **ret_data,
	size_t *ret_size, struct plan_summary *ret_summary)
{
	_cleanup_free_ char *root = options->root ? realpath(options->root, NULL) : NULL;
	_cleanup_(draft_releasep) struct plan_draft draft = {.profile = profile,
		.root = root,
		.shared = options->shared,
		.snapshot = options->snapshot,
		.rule = options->asked ? NULL : options->rule,
		.asked = options->asked};
	int r;

	if (options->root && !root)
		return -errno;
	r = run_passes(&draft, options);
	if (r == -ENODATA)
		*ret_summary = draft.summary;
	if (r < 0)
		return r;
	summarize(&draft);
	r = draft_write(&draft, ret_data, ret_size);
	if (r < 0)
		return r;
	*ret_summary = draft.summary;
	return 0;
}
