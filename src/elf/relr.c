/* SPDX-License-Identifier: MIT */
/* DT_RELR: packing and reading. */
#include "elf/relr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/endian.h"

#define WORD        8u
#define BITMAP_BITS 63u
#define BITMAP_SPAN (BITMAP_BITS * WORD) /* bytes of address space */

/* The bitmap of the places below base + BITMAP_SPAN. Moves *at past them. */
static uint64_t take_bitmap(const uint64_t *places, size_t n_places, uint64_t base, size_t *at)
{
	uint64_t bitmap = 0;

	for (; *at < n_places && places[*at] - base < BITMAP_SPAN; (*at)++)
		bitmap |= UINT64_C(1) << ((places[*at] - base) / WORD);
	return bitmap;
}

int relr_encode(const uint64_t *places, size_t n_places, uint64_t **ret_words, size_t *ret_n_words)
{
	_cleanup_free_ uint64_t *words = NULL;
	size_t n_words = 0, at = 0;

	if (n_places == 0)
		return -EINVAL;
	for (size_t i = 0; i < n_places; i++)
		if (places[i] % WORD != 0 || (i > 0 && places[i] <= places[i - 1]))
			return -EINVAL;
	/* Each word stands for at least one place. */
	words = calloc(n_places, sizeof(*words));
	if (!words)
		return -ENOMEM;
	while (at < n_places) {
		uint64_t base = places[at] + WORD, bitmap;

		words[n_words++] = LE64(places[at++]);
		while ((bitmap = take_bitmap(places, n_places, base, &at)) != 0) {
			words[n_words++] = LE64(bitmap << 1 | 1);
			base += BITMAP_SPAN;
		}
	}
	*ret_words = TAKE_PTR(words);
	*ret_n_words = n_words;
	return 0;
}

/* Takes the next word of the table: an address as a bitmap of that one place. Returns 0 or -EINVAL. */
static int take_word(struct relr_reader *reader)
{
	uint64_t word;

	if (reader->size < WORD)
		return -EINVAL;
	memcpy(&word, reader->table, WORD);
	word = LE64(word);
	if (word % 2 == 0) {
		reader->place = word;
		reader->bits = 1;
		reader->base = word + WORD;
	} else if (reader->base == 0) {
		return -EINVAL;
	} else {
		reader->place = reader->base;
		reader->bits = word >> 1;
		reader->base += BITMAP_SPAN;
	}
	reader->table += WORD;
	reader->size -= WORD;
	return 0;
}

int relr_next(struct relr_reader *reader, uint64_t *ret_place)
{
	unsigned skip;

	while (reader->bits == 0) {
		int r;

		if (reader->size == 0)
			return 0;
		r = take_word(reader);
		if (r < 0)
			return r;
	}
	skip = (unsigned)__builtin_ctzll(reader->bits);
	reader->place += skip * WORD;
	*ret_place = reader->place;
	reader->bits = reader->bits >> skip >> 1;
	reader->place += WORD;
	return 1;
}
