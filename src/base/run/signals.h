/* SPDX-License-Identifier: MIT */
/* Signals that are read, signalfd(2), and interrupt nothing; and those that whoever starts us wants to be ignored, nohup(1). */
#pragma once

#include <signal.h>
#include <stdbool.h>

/*
 * Blocks the signals, which end with 0, and opens a descriptor for them: *ret_fd, O_NONBLOCK, the caller's to close. *ret_before, which may
 * be NULL, is the mask to put back then, and in children. Returns 0 or negative errno.
 */
int signals_take(const int *signals, sigset_t *ret_before, int *ret_fd);

bool signal_is_ignored(int number);

/* The signal comes, also where our caller has blocked it. */
void signal_unblock(int number);
