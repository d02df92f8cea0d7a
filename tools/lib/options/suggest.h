/* SPDX-License-Identifier: MIT */
/* "did you mean …?": the word of a list that a mistyped one is most like. */
#pragma once

struct suggestion {
	const char *word;    /* as it was typed */
	const char *nearest; /* of what was offered, borrowed; NULL if nothing is near */
	unsigned int distance;
};

/* Offers one of the words that would have been right. Of two that are equally near, the first offered stays. */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);
