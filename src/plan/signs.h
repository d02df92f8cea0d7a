/* SPDX-License-Identifier: MIT */
/*
 * Signs: what tells a shim that a program started under another name has a plan. Other names are the symbolic links to the
 * program in the folders of $PATH, and its path through folders that are such links (/bin).
 *
 * A shim learns the name that a program is started by for nothing, but not its canonical path; and where there is no plan it
 * can afford three system calls. So for each other name the folder of plans holds a sign: a symbolic link to the plan, where
 * the plan of that name would be (format/state-folder.h). Signs are hints: where one is missing or wrong, the program does
 * not wait for its plan (ldpreload/launch.c), and that is all.
 */
#pragma once

/* Makes the signs of this program (a canonical path) in the folder that this user writes to, and removes those that are out
 * of date. Returns 0 or negative errno. */
int signs_publish(const char *program);

/* Removes them all. Returns 0 or negative errno. */
int signs_withdraw(const char *program);
