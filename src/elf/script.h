/* SPDX-License-Identifier: MIT */
/* Scripts and their interpreters. */
#pragma once

#include <stdbool.h>

#define SCRIPT_DEPTH 5    /* interpreters of interpreters: BINPRM_MAX_RECURSION is 4 */
#define SCRIPT_HEAD  256u /* BINPRM_BUF_SIZE: bytes of a program's beginning that the kernel looks at */

/*
 * The path after "#!" at the beginning of the file, as the kernel reads it (fs/binfmt_script.c): absolute, or meant from
 * the folder in which the script is started. Returns whether there is one.
 */
bool script_interpreter(int fd, char ret[SCRIPT_HEAD]);

/*
 * The canonical path of what the kernel executes in the end for a program: of a script, its interpreter. *ret is the caller's.
 * Returns 0 or negative errno; whether it is an ELF file is not looked at.
 */
int script_executed(const char *program, char **ret);
