/* SPDX-License-Identifier: MIT */
/* Reading a profile, and why it cannot be. */
#include "lib/input.h"

#include <errno.h>

#include "profile/profile-file.h"
#include "verb.h"

int input_profile(const char *path, struct profile *ret)
{
	enum profile_fault fault = profile_load(path, ret);

	if (fault == PROFILE_UNREADABLE && errno == EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (fault == PROFILE_UNREADABLE)
		return verb_fail_errno(errno, "cannot read '%s'", path);
	return fault == PROFILE_GOOD ? 0 : verb_fail("'%s' %s", path, profile_fault_text(fault));
}
