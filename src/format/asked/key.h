/* SPDX-License-Identifier: MIT */
/*
 * A key in the making: reads arguments piece by piece, and hashes those that count.
 *
 * The arguments may be in memory that another thread changes. Each byte of them is read once, by source->read(), into
 * `text`, and nothing else of them is looked at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/asked.h"
#include "format/hash.h"

struct asking {
	const char *rule;
	const struct asked_source *source;
	struct asked *asked;
	uint64_t hash;  /* of what counts */
	uint64_t all;   /* of all arguments so far: what counts if nothing is asked for */
	size_t length;  /* of the text */
	size_t counted; /* bytes read of all arguments */
	char operand;   /* role of the first operand */
};

/* Adds a text to the hash. */
ASKED_PART void asking_add(uint64_t *hash, const char *text, size_t length)
{
	static const char end = '\0'; /* no text contains it: two texts never look like one */

	*hash = fnv1a64(fnv1a64(*hash, text, length), &end, 1);
}

static inline size_t asking_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

/* Reads the next piece of an argument into the text. Returns as source->read(). */
ASKED_PART long asking_read(struct asking *asking, unsigned int number, size_t offset)
{
	char *text = asking->asked->text;
	long length =
		asking->source->read(asking->source->context, number, offset, text, ASKED_TEXT_SIZE - 1);

	text[length > 0 ? length : 0] = '\0';
	asking->length = length > 0 ? (size_t)length : 0;
	asking->counted += asking->length;
	return asking->counted > ASKED_BYTES_MAX ? ASKED_ERROR : length;
}

/* Adds an argument whose first piece has been read, from the offset in that piece on. False if it cannot be read on. */
ASKED_PART bool asking_add_argument(
	struct asking *asking, uint64_t *hash, char role, unsigned int number, size_t from)
{
	size_t offset = 0;

	*hash = fnv1a64(*hash, &role, 1);
	for (;;) {
		long length;

		*hash = fnv1a64(*hash, asking->asked->text + from, asking->length - from);
		if (asking->length < ASKED_TEXT_SIZE - 1)
			break;
		offset += asking->length;
		from = 0;
		length = asking_read(asking, number, offset);
		if (length < 0)
			return false;
	}
	asking_add(hash, "", 0);
	return true;
}
