/* SPDX-License-Identifier: MIT */
/* A child that works while the machine is quiet. */
#pragma once

#include <sys/types.h>

/*
 * For a child of the daemon, with this process number: takes the lowest priorities for processors and disks, and limits for its
 * time and for the size of files. It ends with the daemon.
 */
void idle_child_begin(pid_t daemon, unsigned seconds);
