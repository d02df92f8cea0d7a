/* SPDX-License-Identifier: MIT */
#include "lib/files/input-path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/files/stranger-refusal.h"
#include "lib/programs/named-program.h"
#include "plan/store/store.h"
#include "verb.h"

static int find_stored(const char *name, bool plan, char **ret)
{
	_cleanup_free_ char *program = NULL;
	int r = refuse_strange_state(), found;

	if (r)
		return r;
	if (store_program_path(name, &program) < 0)
		return verb_fail("cannot read '%s': it is neither a file nor a program in PATH", name);
	found = store_find(STORE_PROFILE, program, ret);
	if (found == 0 || (plan && store_find(STORE_PLAN, program, ret) == 0))
		return 0;
	return found == -ENOENT
		? verb_fail(
			  "there is no file '%s', and '%s' was not recorded: 'sudo headstart record -- %s' records a start",
			  name, program, name)
		: no_profile(found, program, name);
}

int input_path(const char *name, bool plan, char **ret)
{
	if (!strchr(name, '/') && *name && access(name, F_OK) < 0 && errno == ENOENT)
		return find_stored(name, plan, ret);
	*ret = strdup(name);
	return *ret ? 0 : verb_fail_errno(ENOMEM, "cannot read '%s'", name);
}
