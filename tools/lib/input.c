/* SPDX-License-Identifier: MIT */
/* Reads a profile, or prints why it cannot be read. */
#include "lib/input.h"

#include <errno.h>

#include "base/cleanup.h"
#include "lib/input-path.h"
#include "profile/profile-file.h"
#include "verb.h"

int input_profile(const char *name, struct profile *ret)
{
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault;
	int r = input_path(name, false, &path);

	if (r)
		return r;
	r = profile_load(path, ret, &fault);
	if (r == -EBADMSG)
		return verb_fail("'%s' %s", path, profile_fault_text(fault));
	if (r == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", path) : 0;
}
