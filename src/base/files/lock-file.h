/* SPDX-License-Identifier: MIT */
/* A lock that one process has at a time, on a file that exists for that alone. */
#pragma once

#include <sys/types.h>

/*
 * Makes the file if there is none, for this user alone, and takes its lock. The process has the lock until it ends or closes any
 * descriptor of the file; its children do not have it. Returns the descriptor, -EBUSY if another process has the lock, or negative
 * errno.
 */
int lock_file(const char *path);

/* The process that has the lock; 0 if there is none, or it is not of our pid namespace; or negative errno. */
pid_t lock_file_holder(const char *path);
