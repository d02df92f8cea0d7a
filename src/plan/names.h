/* SPDX-License-Identifier: MIT */
/*
 * The other names of a planned program: symbolic links to it in the folders of $PATH, and its path through folders that
 * are such links (/bin).
 *
 * A program may learn the name it was started by at the cost of nothing, but not its canonical path; and only three
 * system calls are to be had where there is no plan. So each other name has a sign in the folder of plans, a symbolic
 * link where its plan would be, to the plan (format/state-folder.h). Signs are hints: where one is missing or wrong,
 * the program does not wait for its plan (ldpreload/launch.c), and that is all.
 */
#pragma once

/* Puts the signs of this program (a canonical path) up in the folder this user writes to, and removes those that are
 * none any more. Returns 0 or negative errno. */
int names_publish(const char *program);

/* Removes them all. Returns 0 or negative errno. */
int names_withdraw(const char *program);
