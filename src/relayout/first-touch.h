/* SPDX-License-Identifier: MIT */
/* From the touched pages of a profile's file to the pages of an image. */
#pragma once

#include "profile/profile.h"
#include "relayout/passes/image.h"

/*
 * Gives pages of the image the order of their first touch in the profile. A file page that is mapped twice makes both
 * pages hot. `recorded` is the file as the profile knew it: the original, or an earlier relaid file of it.
 */
void relayout_take_first_touches(struct relayout_image *image, const struct elf_view *recorded,
	const struct profile_file *file, uint32_t page_size);
