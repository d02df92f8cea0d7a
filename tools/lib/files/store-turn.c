/* SPDX-License-Identifier: MIT */
#include "lib/files/store-turn.h"

#include <errno.h>

#include "plan/store/lock.h"
#include "verb.h"

#define SILENT_MS 2000
#define TURN_MS   60000 /* a process that was stopped may have the turn for ever */

static int refuse(void)
{
	pid_t holder = store_lock_holder();

	if (holder <= 0)
		return verb_fail("others have been changing what is stored for a minute; try again later");
	return verb_fail(
		"process %d has been changing what is stored for a minute; end it, or try again later",
		(int)holder);
}

int store_turn_take(int *ret)
{
	int r = store_lock_within(SILENT_MS);

	if (r == -EBUSY) {
		verb_note("waiting for another process that changes what is stored");
		r = store_lock_within(TURN_MS);
	}
	if (r == -EBUSY)
		return refuse();
	*ret = r < 0 ? -1 : r;
	return 0;
}
