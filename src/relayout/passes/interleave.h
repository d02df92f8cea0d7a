/* SPDX-License-Identifier: MIT */
/* The order of the hot region in which relocation reads all of it. */
#pragma once

#include "relayout/passes/pieces.h"

/*
 * Cuts hot pieces further, as far as image->spare_segments allows, and gives each its order. Nothing happens
 * to a file that is too small to gain. Returns 0, or -ENOMEM with the pieces as they were.
 */
int relayout_interleave(struct relayout_pieces *pieces, const struct relayout_image *image);
