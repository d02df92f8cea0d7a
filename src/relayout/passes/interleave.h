/* SPDX-License-Identifier: MIT */
/* Orders the hot region so that relocation reads all of it. */
#pragma once

#include "relayout/passes/pieces.h"

/*
 * Cuts hot pieces further, as far as image->spare_segments allows, and gives each its order. Leaves files alone that
 * are too small to gain. Returns 0, or -ENOMEM with the pieces unchanged.
 */
int relayout_interleave(struct relayout_pieces *pieces, const struct relayout_image *image);
