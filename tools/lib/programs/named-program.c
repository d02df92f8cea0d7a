/* SPDX-License-Identifier: MIT */
#include "lib/programs/named-program.h"

#include <errno.h>
#include <string.h>

#include "plan/store/store.h"
#include "verb.h"

#define NOT_FOUND      127
#define NOT_EXECUTABLE 126

int program_refusal(int error, const char *name)
{
	if (error == -ENOENT && !strchr(name, '/'))
		verb_fail("'%s' is not in PATH: give its whole path", name);
	else
		verb_fail_errno(error, "'%s' cannot be run", name);
	return error == -ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

int program_named(const char *name, char **ret)
{
	int r = store_program_path(name, ret);

	if (r == 0)
		return 0;
	if (name[0] != '/') {
		program_refusal(r, name);
		return VERB_FAILED;
	}
	*ret = strdup(name);
	return *ret ? 0 : verb_fail_errno(ENOMEM, "cannot find '%s'", name);
}

int no_profile(int error, const char *program, const char *name)
{
	if (error == -EACCES)
		return verb_fail("only root can read what was recorded of '%s': use sudo", program);
	return verb_fail(
		"'%s' was not recorded: 'sudo headstart record -- %s' records a start", program, name);
}
