/* SPDX-License-Identifier: MIT */
/*
 * How `headstart mark` reaches `headstart record`: a datagram to an abstract Unix socket (unix(7)) whose name nobody
 * guesses. It needs no file, works in any root and for any user, and all it can do is end a recording.
 */
#pragma once

#include <stddef.h>

#define MARK_VARIABLE "HEADSTART_RECORDING" /* the recording's name, in the environment of the command */
#define MARK_NAME_MAX 64

/* A bound socket, and the name of the recording. Returns the descriptor or negative errno. */
int mark_listen(char ret_name[MARK_NAME_MAX]);

/* Marks the recording. Returns 0, -ECONNREFUSED where there is none of that name, or negative errno. */
int mark_send(const char *name);
