/* SPDX-License-Identifier: MIT */
/* The profile or plan that the user named by its file or by its program. */
#pragma once

#include <stdbool.h>

/*
 * The file that `name` stands for: the file of that name, or, if there is none and the name has no slash, the stored
 * profile of the program that PATH finds by it. With `plan`, its plan if it has no profile. *ret is the caller's.
 * Returns 0, or an exit status after printing the reason.
 */
int input_path(const char *name, bool plan, char **ret);
