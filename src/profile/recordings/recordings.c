/* SPDX-License-Identifier: MIT */
/* A list of recordings, and what can be made of all of them together. */
#include "profile/recordings/recordings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/recordings/common.h"
#include "profile/recordings/merge.h"

void recordings_release(struct recordings *recordings)
{
	for (size_t i = 0; i < recordings->n; i++)
		profile_release(&recordings->items[i]);
	free(recordings->items);
	*recordings = (struct recordings){0};
}

int recordings_add(struct recordings *recordings, struct profile *recording)
{
	int r;

	if (recordings->n > 0 &&
		(recordings->items->page_size != recording->page_size ||
			!streq(recordings->items->program, recording->program)))
		return -EINVAL;
	if (recordings->n >= RECORDINGS_MAX)
		return -E2BIG;
	r = ARRAY_RESERVE(recordings->items, recordings->capacity, recordings->n + 1);
	if (r < 0)
		return r;
	recordings->items[recordings->n++] = *recording;
	*recording = (struct profile){0};
	return 0;
}

void recordings_remove(struct recordings *recordings, size_t index)
{
	profile_release(&recordings->items[index]);
	memmove(&recordings->items[index], &recordings->items[index + 1],
		(recordings->n - index - 1) * sizeof(*recordings->items));
	recordings->n--;
}

static bool same_arguments(const struct profile *a, const struct profile *b)
{
	if (a->n_arguments != b->n_arguments)
		return false;
	for (size_t i = 1; i < a->n_arguments; i++)
		if (!streq(a->arguments[i], b->arguments[i]))
			return false;
	return true;
}

struct profile *recordings_find(const struct recordings *recordings, const struct profile *start)
{
	for (size_t i = 0; i < recordings->n; i++) {
		struct profile *item = &recordings->items[i];

		if (start->asked ? item->asked == start->asked
				 : item->asked == 0 && same_arguments(item, start))
			return item;
	}
	return NULL;
}

int recordings_merge(const struct recordings *recordings, struct profile *ret)
{
	_cleanup_(profile_releasep) struct profile merged = {0};
	int r = recordings->n > 0 ? profile_copy(&recordings->items[0], &merged) : -EINVAL;

	for (size_t i = 1; r == 0 && i < recordings->n; i++)
		r = profile_merge(&merged, &recordings->items[i]);
	if (r == 0 && recordings->n > 1) {
		merged.asked = 0; /* it is no recording of one start any more */
		r = profile_set_arguments(&merged, (const char *[]){NULL});
	}
	if (r < 0)
		return r;
	*ret = merged;
	merged = (struct profile){0};
	return 0;
}

int recordings_common(const struct recordings *recordings, struct profile *ret)
{
	_cleanup_(profile_releasep) struct profile common = {0};
	int r = recordings->n > 0 ? profile_copy(&recordings->items[0], &common) : -EINVAL;

	for (size_t i = 1; r == 0 && i < recordings->n; i++)
		r = profile_keep_common(&common, &recordings->items[i]);
	if (r < 0)
		return r;
	*ret = common;
	common = (struct profile){0};
	return 0;
}

bool recordings_all_learnt(const struct recordings *recordings)
{
	for (size_t i = 0; i < recordings->n; i++)
		if (!(recordings->items[i].bias & PROFILE_BIAS_LEARNT))
			return false;
	return true;
}
