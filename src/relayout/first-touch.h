/* SPDX-License-Identifier: MIT */
/* The step from a file of a profile to the pages of an image. */
#pragma once

#include "profile/profile.h"
#include "relayout/passes/image.h"

/*
 * Gives pages of the image the orders in which the profile says they were touched; a page of the file that is
 * mapped twice makes both hot. `recorded` is the file as the profile knew it: the original, or an earlier
 * relaid file of it.
 */
void relayout_take_first_touches(struct relayout_image *image, const struct elf_view *recorded,
	const struct profile_file *file, uint32_t page_size);
