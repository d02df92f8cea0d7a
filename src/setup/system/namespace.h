/* SPDX-License-Identifier: MIT */
/* Mounts that nobody else sees. */
#pragma once

/*
 * Puts this process into a mount namespace of its own, from which no mount reaches another one. Its root and
 * working folder stay what they are. Needs root. Returns 0 or negative errno.
 */
int namespace_enter(void);
