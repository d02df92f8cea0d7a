/* SPDX-License-Identifier: MIT */
#include "headstartd/helpers/beside.h"

#include <stdio.h>
#include <unistd.h>

#include "base/files/links.h"

void beside_find(const char *name, char ret[PATH_MAX])
{
	if (path_beside_us(name, ret) == 0 && access(ret, X_OK) == 0)
		return;
	snprintf(ret, PATH_MAX, "%s/%s", HEADSTART_PRIVATE_DIR, name);
}
