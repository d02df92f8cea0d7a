/* SPDX-License-Identifier: MIT */
#include "lib/files/no-state-folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/store/store.h"
#include "verb.h"

int no_state_folder(int error, const char *instead)
{
	const char *before = instead ? "; " : "";
	const char *home = getenv("HOME");
	_cleanup_free_ char *folder = NULL;
	int r = store_folder(&folder);

	instead = instead ? instead : "";
	if (r == -ENOENT)
		return verb_fail("there is no folder to keep profiles and plans in, as HOME is %s%s%s",
			home && *home ? "no absolute path" : "not set", before, instead);
	if (r < 0)
		return verb_fail_errno(error, "cannot make the folder of plans");
	return verb_fail(
		"cannot make the folder of plans '%s': %s%s%s", folder, strerror(-error), before, instead);
}
