/* SPDX-License-Identifier: MIT */
/* Words that follow a number in a message: "1 file was", "2 files were". */
#pragma once

#include <stdint.h>

/* The first word for one thing, the second for any other number of them: plural_of(n, "is", "are"). */
static inline const char *plural_of(uint64_t count, const char *one, const char *more)
{
	return count == 1 ? one : more;
}

/* "s" unless it is one thing. */
static inline const char *plural(uint64_t count)
{
	return plural_of(count, "", "s");
}
