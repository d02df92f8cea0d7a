/* SPDX-License-Identifier: MIT */
/*
 * Watches for the first window of the recorded command (display/window.h), in a process of the user whose display it is:
 * root connects to nobody's display, and opens nobody's file of cookies.
 */
#pragma once

/*
 * Starts the process, which is no child of ours: so it is no part of the command's tree. It becomes `user` (user.h),
 * unless NULL, and ends when *ret, a descriptor that the caller owns, is closed. Call this before record_run(). Returns 0
 * once it watches; as window_watch_new(); as user_become(); -ETIME if the display does not answer within ten seconds; or
 * negative errno.
 */
int window_watcher_start(const char *user, int *ret);

/* When the descriptor is readable: 1 if a window was seen, or -ECONNRESET if the display has gone. */
int window_watcher_seen(int fd);
