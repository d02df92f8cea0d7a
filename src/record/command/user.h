/* SPDX-License-Identifier: MIT */
/* Runs the recorded command as another user, without anything of root's. */
#pragma once

/*
 * Makes this process, a child of root's that will become the command, a process of that user: groups and user; a
 * session of its own, without a controlling terminal; only the standard descriptors after the next execve; and an
 * environment of only
 *
 *     HOME USER LOGNAME SHELL                    of the user
 *     PATH                                       what the user had (caller.h), else ours
 *     LANG LANGUAGE LC_* TERM TZ                 ours, else what the user had, but for LC_*
 *     XDG_CURRENT_DESKTOP XDG_SESSION_TYPE       the same: they decide which toolkit a program loads
 *     XDG_RUNTIME_DIR WAYLAND_DISPLAY DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS
 *                                                the same, where what they name belongs to the user
 *
 * Returns 0, -ENOENT if there is no such user, or negative errno.
 */
int user_become(const char *name);
