/* SPDX-License-Identifier: MIT */
#pragma once

#include "relayout/passes/image.h"

/* Which debug file has symbols, too. */
struct whole_options {
	const char *
		root; /* of the system that the file belongs to (debug/file.h); NULL: no debug file is looked for */
	int fd;       /* borrowed: the file, beside which its debug file may lie; -1: it has no place */
};

/*
 * Joins the pages of code between which a function or an object of a symbol table lies (page->joined): of the tables
 * of the file, and of its debug file. Symbol tables that are missing or malformed join nothing. Returns 0 or -ENOMEM.
 */
int relayout_keep_functions_whole(struct relayout_image *image, const struct whole_options *options);
