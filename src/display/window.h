/* SPDX-License-Identifier: MIT */
/*
 * Watches for the first window of a process tree, on the X11 display that DISPLAY names. A window counts once it is
 * mapped and viewable, if it is no splash screen and no menu (override-redirect), and, if it names its process
 * (_NET_WM_PID), that process is a descendant of `root`.
 *
 * Clients cannot see each other's windows on Wayland. A program whose WAYLAND_DISPLAY leads nowhere uses Xwayland.
 */
#pragma once

#include <sys/types.h>

/* The value of WAYLAND_DISPLAY for a command whose windows are to be seen. */
#define WINDOW_NO_WAYLAND "headstart-uses-x11"

struct window_watch;

/*
 * Begins to watch. Returns 0; -ENOTCONN if the display cannot be opened; -ENOSYS if this build cannot see windows; or
 * -ENOMEM. Free *ret with window_watch_free().
 */
int window_watch_new(pid_t root, struct window_watch **ret);

/* A descriptor that becomes readable when window_watch_seen() is to be called. */
int window_watch_fd(const struct window_watch *watch);

/* Takes what has happened. Returns 1 once a window was seen, 0 before, -ECONNRESET if the display has gone. */
int window_watch_seen(struct window_watch *watch);

/* NULL is allowed. */
void window_watch_free(struct window_watch *watch);
