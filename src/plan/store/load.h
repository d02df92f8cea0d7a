/* SPDX-License-Identifier: MIT */
/* A plan file read into private memory, and checked. */
#pragma once

#include "format/plan-view.h"

struct loaded_plan {
	char *data;            /* owned */
	struct plan_view view; /* into data */
};

/*
 * Reads the whole of an open plan, from its beginning. Never maps it, because another process may truncate it
 * meanwhile. Returns 0; -EBADMSG, with *ret_fault, if it is not a valid plan; -EINVAL if it is not a regular file;
 * -EFBIG past PLAN_FILE_MAX; or negative errno.
 */
int plan_load(int fd, struct loaded_plan *ret, enum plan_fault *ret_fault);

/* The same for a path, which is opened only if it leads to a regular file: -EISDIR or -EINVAL. ret_fault may be NULL. */
int plan_load_path(const char *path, struct loaded_plan *ret, enum plan_fault *ret_fault);

void loaded_plan_release(struct loaded_plan *plan);

static inline void loaded_plan_releasep(struct loaded_plan *plan)
{
	loaded_plan_release(plan);
}
