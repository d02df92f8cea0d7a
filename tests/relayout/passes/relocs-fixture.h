/* SPDX-License-Identifier: MIT */
/* For unit tests of the relocation passes: the handmade object, its image, and a copy of both to compare with. */
#pragma once

#include "relocs-object.h"

struct fixture {
	struct object object;
	struct elf_view view;
	struct relayout_image image;
	struct pass_options options;
	struct pass_outcome outcome;
};

/* The image of fixture->object. Every page has been touched, so that cooled ones can be seen. */
void fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);

/*
 * Runs a pass that must succeed: the memory of the relocated object must be the same as before, whether it is bound
 * lazily or not.
 */
typedef int pass_fn(struct relayout_image *, const struct pass_options *, struct pass_outcome *);
void assert_passes(struct fixture *fixture, pass_fn *pass);

/* Runs a pass that must refuse: the reason has these words, and the image is unchanged. */
void assert_refused(struct fixture *fixture, pass_fn *pass, const char *words);

/* Describes the image in one malloc()ed string of bytes. Two strings are the same if and only if the images are. */
uint8_t *image_bytes(const struct relayout_image *image, size_t *ret_size);
