/* SPDX-License-Identifier: MIT */
#include "lib/programs/launcher-path.h"

#include <stdio.h>
#include <unistd.h>

#include "base/files/links.h"
#include "verb.h"

int launcher_path(char ret[PATH_MAX])
{
	if (path_beside_us("headstart", ret) == 0 && access(ret, X_OK) == 0)
		return 0;
	snprintf(ret, PATH_MAX, "%s", HEADSTART_PROGRAM_PATH);
	return access(ret, X_OK) == 0 ? 0 : verb_fail("cannot find '%s'", HEADSTART_PROGRAM_PATH);
}
