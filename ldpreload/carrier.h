/* SPDX-License-Identifier: MIT */
/* Who carries out a plan at this moment, and waiting for it. */
#pragma once

#include <stdbool.h>

/* In a process that is about to execute the prefetcher: it carries out the plan that is open as `fd`, until it ends
 * or closes any descriptor of that file. */
void carrier_mark(int fd);

/* Whether a prefetcher of this user's, started within that many milliseconds, carries out this plan. */
bool carrier_runs(int plan_fd, unsigned int limit_ms);

/*
 * Returns when the prefetcher that carries out this plan has ended, or is that many milliseconds old: a stuck one holds up
 * a script that starts the program a hundred times no longer than one that starts it once. Returns at once if there is
 * none, or it is another user's, or not the one that this program would start (prefetcher_path()). A signal that the
 * program handles ends it early. That somebody waits is to be seen by the prefetcher until plan_fd is closed.
 */
void carrier_wait(int plan_fd, unsigned int limit_ms);
