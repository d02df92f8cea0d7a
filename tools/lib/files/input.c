/* SPDX-License-Identifier: MIT */
/* Reads a profile, or prints why it cannot be read. */
#include "lib/files/input.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/files/input-path.h"
#include "lib/files/output.h"
#include "profile/file/profile-file.h"
#include "verb.h"

static int explain(int error, enum profile_fault fault, const char *path)
{
	if (error == -EBADMSG)
		return verb_fail("'%s' %s", path, profile_fault_text(fault));
	if (error == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	return verb_fail_errno(error, "cannot read '%s'", path);
}

/* What a user may read is the user's to give away; what only root may read is for root alone. */
static void note(const char *path)
{
	if (geteuid() == 0)
		output_tells_of(path);
}

int input_profile(const char *name, struct profile *ret)
{
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault = PROFILE_GOOD;
	int r = input_path(name, false, &path);

	if (r)
		return r;
	note(path);
	r = profile_load(path, ret, &fault);
	return r < 0 ? explain(r, fault, path) : 0;
}

int input_recordings(const char *name, struct recordings *ret)
{
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault = PROFILE_GOOD;
	int r = input_path(name, false, &path);

	if (r)
		return r;
	note(path);
	r = recordings_load(path, ret, &fault);
	return r < 0 ? explain(r, fault, path) : 0;
}
