/* SPDX-License-Identifier: MIT */
/* A child of the daemon. */
#pragma once

#include <sys/types.h>

/*
 * Begins as a child of the daemon, with this process number: it receives that signal when the daemon ends, it ends after so many
 * seconds, it blocks no signal, and it ends first when memory is short. If the daemon has ended already, this does not return.
 */
void child_begin(pid_t daemon, int signal, unsigned seconds);

/* Closes all descriptors but the standard ones and this one, or with -1 none: whoever has those of a tracer keeps its instance. */
void child_keep_only(int fd);

/* Takes the lowest priorities for processors and disks, and limits for processor time and for the size of files. */
void child_become_idle(unsigned seconds);
