/* SPDX-License-Identifier: MIT */
/* Questions that several passes have about a draft. */
#include "plan/build/draft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/paths/stranger.h"
#include "base/strings.h"

void draft_release(struct plan_draft *draft)
{
	free(draft->devices);
	free(draft->files);
	free(draft->extents);
	for (size_t i = 0; i < draft->n_guesses; i++) {
		profile_file_release(draft->guesses[i]);
		free(draft->guesses[i]);
	}
	free(draft->guesses);
	for (size_t i = 0; i < draft->n_file_systems; i++)
		free(draft->file_systems[i].point);
	free(draft->file_systems);
	free(draft->metadata);
	*draft = (struct plan_draft){0};
}

int draft_path(const struct plan_draft *draft, const char *path, char **ret)
{
	char *joined;

	if (asprintf(&joined, "%s%s", draft->root ? draft->root : "", path) < 0)
		return -ENOMEM;
	*ret = joined;
	return 0;
}

/* Root owns a folder for everybody (/tmp), though anybody may own what is in it. */
bool draft_is_others(const struct plan_draft *draft, const struct profile_file *file, const char *path)
{
	struct stranger stranger;
	int r = draft->shared ? stranger_find(path, &stranger) : 0;

	if (r == -EPERM && file->kind == PROFILE_DIRECTORY && stranger.owner == 0 &&
		streq(stranger.path, path))
		return false;
	return r < 0 && r != -ENOENT; /* a path that cannot be examined is not taken to be root's */
}
