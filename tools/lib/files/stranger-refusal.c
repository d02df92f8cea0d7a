/* SPDX-License-Identifier: MIT */
#include "lib/files/stranger-refusal.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "verb.h"

static int tell(const struct stranger *stranger, const char *advice)
{
	const struct passwd *user = stranger->owner ? getpwuid(stranger->owner) : NULL;

	if (!stranger->owner)
		return verb_fail("users other than root can write to '%s': %s", stranger->path, advice);
	if (stranger->owner == (uid_t)-1)
		return verb_fail("'%s' is not mounted, and so may be anybody's: %s", stranger->path, advice);
	if (!user)
		return verb_fail("'%s' belongs to user %u: %s", stranger->path, stranger->owner, advice);
	return verb_fail("'%s' belongs to '%s': %s", stranger->path, user->pw_name, advice);
}

int refuse_stranger(const char *path, const char *advice)
{
	struct stranger stranger;

	return stranger_to_us(path, &stranger) == -EPERM ? tell(&stranger, advice) : 0;
}

int refuse_stranger_of(const char *variable, const char *path)
{
	const struct passwd *root = getpwuid(0);
	_cleanup_free_ char *advice = NULL;
	struct stranger stranger;
	const char *user;
	int n;

	if (stranger_to_us(path, &stranger) != -EPERM)
		return 0;
	user = stranger.owner && stranger.owner != (uid_t)-1 ? "as that user, or " : "";
	n = streq(variable, "HOME")
		? asprintf(&advice, "run this %swith HOME=%s", user, root ? root->pw_dir : "/root")
		: asprintf(&advice, "run this %swithout %s", user, variable);
	if (n < 0)
		return verb_fail_errno(ENOMEM, "cannot use '%s'", path);
	return tell(&stranger, advice);
}

int refuse_strange_state(void)
{
	const char *state = getenv("HEADSTART_STATE");

	if (!state || !*state)
		return 0;
	if (state[0] != '/')
		return verb_fail("HEADSTART_STATE='%s' is not an absolute path", state);
	return refuse_stranger_of("HEADSTART_STATE", state);
}
