/* SPDX-License-Identifier: MIT */
/* What lies in a folder of profiles and plans. */
#pragma once

/*
 * Calls look() with the path of each file of the folder whose name ends with the suffix (STATE_PROFILE_SUFFIX, STATE_PLAN_SUFFIX), in
 * the order of their names, until it returns other than 0. It may remove files. Returns what it returned last; 0 too for a folder that is
 * not there; or negative errno.
 */
int store_each(
	const char *folder, const char *suffix, int (*look)(void *context, const char *path), void *context);
