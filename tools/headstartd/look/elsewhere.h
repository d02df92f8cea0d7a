/* SPDX-License-Identifier: MIT */
/*
 * Programs that are executed in another mount namespace, as in a container, a sandbox or a service with mounts of its own, or below another
 * root, or that are files of one. What they are called there means something else here, or nothing. But most are files of a disk that we have
 * mounted, too: plans know them by that name.
 */
#pragma once

#include <stdbool.h>

#include "headstartd/look/process.h"

/*
 * Of a process that process_see() has found not to be here: fills in the names that its program has in our namespace, its parent, and whose it
 * is. In another user namespace that is the user who made it: there a user has many ids. A script counts as its interpreter. Returns false,
 * and says that it has no name, if there is none, or if such programs are too many just now. Does not wait for a disk, but for the process
 * as process_see() does.
 */
bool elsewhere_see(struct process_seen *seen);
