/* SPDX-License-Identifier: MIT */
/* Finds the program `headstart`, for verbs that start commands through it. */
#pragma once

#include <limits.h>

/*
 * Where it lies beside this program (a build that is not installed), or where it is installed. Returns 0, or an exit
 * status after printing the reason.
 */
int launcher_path(char ret[PATH_MAX]);
