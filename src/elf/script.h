/* SPDX-License-Identifier: MIT */
/* Scripts and their interpreters. */
#pragma once

/*
 * The canonical path of what the kernel executes in the end for a program: of a script, its interpreter. *ret is the caller's.
 * Returns 0 or negative errno; whether it is an ELF file is not looked at.
 */
int script_executed(const char *program, char **ret);
