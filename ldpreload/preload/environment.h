/* SPDX-License-Identifier: MIT */
/* What the environment of a program that is about to start asks of us. */
#pragma once

#include <stdbool.h>

/*
 * Whether the environment forbids us to act: HEADSTART=off is in it, or the program's start is being recorded, or the
 * list is no environment at all, so that the program will not start. NULL means this process's own, as libc has it now.
 * A bad address does no harm. Call it only where shim_may_act() has said yes.
 */
bool environment_forbids(char *const *environment);
