/* SPDX-License-Identifier: MIT */
/* What a command writes while a terminal is drawn upon. It is shown afterwards, the last of it if it is much. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct written {
	FILE *file;  /* owned; NULL: the command writes to standard error */
	int kept[3]; /* standard input, output and error as they were; -1: it was closed */
};

/* The command is about to begin; `aside`: what it writes is put aside. And it has ended, or the watching has. */
void written_begin(struct written *written, bool aside);
void written_end(struct written *written);

/* Gives room back on the disk, or in memory, if the command has written much more than will be shown. */
void written_shorten(const struct written *written);
