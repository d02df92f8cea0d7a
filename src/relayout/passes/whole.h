/* SPDX-License-Identifier: MIT */
#pragma once

#include "relayout/passes/image.h"

/*
 * Joins the pages of code between which a function or an object of a symbol table lies (page->joined): of the tables
 * of the file, and of its debug file (elf/debug-symbols.h) below `root`, which may be NULL. Symbol tables that are
 * missing or malformed join nothing. Returns 0 or -ENOMEM.
 */
int relayout_keep_functions_whole(struct relayout_image *image, const char *root);
