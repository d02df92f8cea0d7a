/* SPDX-License-Identifier: MIT */
/*
 * Which users have a plan of which program: an empty file STATE/learn/users/UID/NAME (format/plan-name.h) for each, in folders that only
 * root can enter. It says nothing of files in homes, or of arguments. It is a hint: only the user knows.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* These wait for the disk, so they are for children of the daemon. */
bool owners_has(uid_t user, const char *program);
void owners_note(uid_t user, const char *program);
void owners_drop(uid_t user, const char *program);

/* The program is forgotten, whoever has a plan of it. */
void owners_forget(const char *program);
