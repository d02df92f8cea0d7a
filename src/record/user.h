/* SPDX-License-Identifier: MIT */
/* The recorded command as another user: nothing of root's goes with it. */
#pragma once

/*
 * Makes this process, a child of root's that is to become the command, one of that user: groups and user; a session of
 * its own, without a controlling terminal; no descriptor but the standard ones after the next execve; and an environment
 * that has only
 *
 *     HOME USER LOGNAME SHELL                    of the user
 *     PATH LANG LANGUAGE LC_* TERM TZ            ours
 *     XDG_CURRENT_DESKTOP                        ours: which toolkit a program loads
 *     XDG_RUNTIME_DIR WAYLAND_DISPLAY DISPLAY XAUTHORITY
 *                                                ours, where what they name belongs to the user
 *
 * Returns 0, -ENOENT if there is no such user, or negative errno.
 */
int user_become(const char *name);
