/* SPDX-License-Identifier: MIT */
/* The handmade object, its image, and a copy of all of it to compare with: for unit tests of the relocation
 * passes. */
#pragma once

#include "relocs-object.h"

struct fixture {
	struct object object;
	struct elf_view view;
	struct relayout_image image;
	struct pass_options options;
	struct pass_outcome outcome;
};

/* The image of fixture->object; every page has been touched, so that cooling shows. */
void fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);

/* A pass that must succeed: the memory of the relocated object is the same as before, lazily bound or not. */
typedef int pass_fn(struct relayout_image *, const struct pass_options *, struct pass_outcome *);
void assert_passes(struct fixture *fixture, pass_fn *pass);

/* Opens, applies, closes: the reason contains the words, and the image is as it was. */
void assert_refused(struct fixture *fixture, pass_fn *pass, const char *words);

/* What the image is like, in one malloc()ed string of bytes that are the same if and only if the images are.
 */
uint8_t *image_bytes(const struct relayout_image *image, size_t *ret_size);
