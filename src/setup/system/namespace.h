/* SPDX-License-Identifier: MIT */
/* Mounts that no other process sees. */
#pragma once

/*
 * Moves this process into a mount namespace of its own, whose mounts reach no other namespace. Root and working folder
 * stay as they are. Needs root. Returns 0 or negative errno.
 */
int namespace_enter(void);
