/* SPDX-License-Identifier: MIT */
/* Scripts and their interpreters. */
#pragma once

#include <stdbool.h>

#define SCRIPT_DEPTH 5    /* interpreters of interpreters: BINPRM_MAX_RECURSION is 4 */
#define SCRIPT_HEAD  256u /* BINPRM_BUF_SIZE: bytes of a program's beginning that the kernel reads */

/*
 * The path after "#!" at the beginning of the file, as the kernel reads it (fs/binfmt_script.c): absolute, or relative
 * to the working folder of the process that starts the script. Returns whether there is one.
 */
bool script_interpreter(int fd, char ret[SCRIPT_HEAD]);

/*
 * The canonical path of what the kernel finally executes for a program: for a script, its interpreter. The caller frees
 * *ret. Returns 0 or negative errno. Does not check whether it is an ELF file. A path for which may_look() returns false is not looked at:
 * -EACCES. NULL permits all.
 */
int script_executed(const char *program, bool (*may_look)(const char *path), char **ret);
