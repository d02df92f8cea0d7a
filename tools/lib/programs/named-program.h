/* SPDX-License-Identifier: MIT */
/* The program that the user named, and why there is none, or nothing recorded of it. */
#pragma once

/*
 * Prints why a command cannot be executed, from the error of store_find_command() (plan/store/store.h). Returns the exit status that shells
 * have for it: 127 if there is no such command, or 126.
 */
int program_refusal(int error, const char *name);

/*
 * The canonical path of the program of that name; a whole path of a program that is gone, or in an image, is taken as it is. *ret is the
 * caller's. Returns 0, or an exit status after printing the reason.
 */
int program_named(const char *name, char **ret);

/*
 * Prints why nothing recorded of the program, which the user called `name`, was found: from the error of store_find(). Returns an exit
 * status.
 */
int no_profile(int error, const char *program, const char *name);
