/* SPDX-License-Identifier: MIT */
/* What the environment of a program that is about to be started says of us. */
#pragma once

#include <stdbool.h>

/*
 * Whether nothing is to be done for the program: it is switched off (HEADSTART=off), or its start is being
 * recorded; or the environment is none, so that the program will not start. NULL stands for this process's
 * own, as libc has it now. A bad address is no harm. Only where system calls are free of seccomp.
 */
bool environment_forbids(char *const *environment);
