/* SPDX-License-Identifier: MIT */
#include "verbs/record/closed.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "profile/functions.h"
#include "profile/updates/closed.h"
#include "record/command/as-user.h"
#include "verb.h"

struct search {
	const struct profile *profile;
	uint8_t *closed; /* for each place; what the child writes, we see */
};

/* Runs in a process that has become the user. */
static int find_closed(void *context)
{
	const struct search *search = context;

	profile_find_closed(search->profile, search->closed);
	return 0;
}

static void say_what_is_left_out(const struct profile *profile, const uint8_t *closed, const char *user)
{
	const struct profile_functions *functions = profile->functions;

	for (size_t i = 0; functions && i < functions->n_objects; i++)
		if (closed[profile->n_files + i])
			verb_note("the functions of '%s' are left out: '%s' may not read that file",
				functions->objects[i].path, user);
}

int record_forget_closed(struct profile *profile, const char *user, bool quiet)
{
	size_t size = profile_closed_places(profile) + 1;
	struct search search = {profile};
	int r;

	search.closed = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (search.closed == MAP_FAILED)
		return -errno;
	memset(search.closed, 1, size); /* what a child does not come to is closed */
	r = user ? as_user(user, find_closed, &search) : find_closed(&search);
	if (r < 0 && !quiet)
		verb_note("which files '%s' may read was not found out: %s", user, strerror(-r));
	if (user && !quiet)
		say_what_is_left_out(profile, search.closed, user);
	r = profile_forget_closed(profile, search.closed);
	munmap(search.closed, size);
	return r;
}
