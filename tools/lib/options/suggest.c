/* SPDX-License-Identifier: MIT */
/*
 * The distance is the number of characters inserted, left out, replaced, or swapped with their neighbour (optimal
 * string alignment: R. Lowrance, R. Wagner, "An Extension of the String-to-String Correction Problem", JACM 22, 1975,
 * without changes between swapped characters).
 */
#include "lib/options/suggest.h"

#include <string.h>

#define LONGEST 31u /* characters of a word that is compared at all */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned int d[LONGEST + 1][LONGEST + 1];

	for (unsigned int i = 0; i <= a_size; i++)
		for (unsigned int j = 0; j <= b_size; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
				1 + least(d[i - 1][j], d[i][j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[a_size][b_size];
}

void suggestion_offer(struct suggestion *suggestion, const char *candidate)
{
	size_t size = strlen(suggestion->word), candidate_size = strlen(candidate);
	unsigned int found;

	if (size == 0 || size > LONGEST || candidate_size > LONGEST)
		return;
	found = distance(suggestion->word, size, candidate, candidate_size);
	if (size >= 3 && strncmp(suggestion->word, candidate, size) == 0)
		found = 1; /* its beginning */
	if (found > 1 + size / 4 || (suggestion->nearest && found >= suggestion->distance))
		return;
	suggestion->nearest = candidate;
	suggestion->distance = found;
}
