/* SPDX-License-Identifier: MIT */
/* For tests that move blocks for real. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "place/check.h"

/* Skips the case unless blocks of files can be exchanged in the folder. Tests go on where a loss of power would be a danger. */
static inline void need_exchange(const char *folder)
{
	char *refusal = NULL;
	enum place_way way = PLACE_EXCHANGE;
	int r = place_check_file_system(folder, 4096, &way, &refusal);

	if (r == 0 && !refusal && way != PLACE_EXCHANGE)
		refusal = strdup("shares blocks instead");

	if (r == 0 && (!refusal || strstr(refusal, "has no journal"))) {
		free(refusal);
		return;
	}
	print_message("blocks cannot be exchanged in /var/tmp: its file system %s\n",
		r == 0 ? refusal : "cannot be looked at");
	free(refusal); /* skip() does not come back */
	skip();
}
