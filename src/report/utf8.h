/* SPDX-License-Identifier: MIT */
/* Recognizes UTF-8 in the bytes of a string (RFC 3629). */
#pragma once

#include <stddef.h>

/* Bytes of the well-formed character at the start of the NUL-terminated text; 0 if there is none. */
static inline size_t utf8_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (at[0] < 0x80)
		return at[0] != 0;
	if (at[0] >= 0xc2 && at[0] <= 0xdf)
		n = 2;
	else if (at[0] >= 0xe0 && at[0] <= 0xef)
		n = 3;
	else if (at[0] >= 0xf0 && at[0] <= 0xf4)
		n = 4;
	else
		return 0;
	/* The second byte shows overlong forms, surrogates, and values beyond U+10FFFF. */
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f;
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	return n;
}
