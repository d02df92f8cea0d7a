/* SPDX-License-Identifier: MIT */
/*
 * Signs let a shim know that a program started under another name has a plan. Other names are the symbolic links to the
 * program in the folders of $PATH, and its path through folders that are such links (/bin).
 *
 * A shim gets the name that a program is started by at no cost, but not its canonical path; and if there is no plan it
 * may spend only three system calls. So for each other name the folder of plans holds a sign: a symbolic link to the
 * plan, in the place of a plan of that name (format/state-folder.h). Signs are hints: if one is missing or wrong, the
 * program does not wait for its plan (ldpreload/preload/launch.c), but nothing else happens.
 */
#pragma once

/*
 * Makes the signs of this program (a canonical path) in the folder that this user writes to, and removes outdated ones.
 * Returns 0 or negative errno.
 */
int signs_publish(const char *program);

/* Removes all signs of this program. Returns 0 or negative errno. */
int signs_withdraw(const char *program);
