/* SPDX-License-Identifier: MIT */
/* Reads what people write after --until. */
#include "base/texts/milestone.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strings.h"

#define SECONDS_MAX 1e7

bool milestone_parse_seconds(const char *text, double *ret)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || *end || !(value > 0 && value < SECONDS_MAX))
		return false;
	*ret = value;
	return true;
}

bool milestone_parse(const char *text, struct milestone *ret)
{
	static const struct {
		const char *name; /* followed by seconds if it ends with a colon */
		enum milestone_kind kind;
	} known[] = {
		{"exit", MILESTONE_EXIT},
		{"mark", MILESTONE_MARK},
		{"window", MILESTONE_WINDOW},
		{"idle:", MILESTONE_IDLE},
		{"time:", MILESTONE_TIME},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct milestone milestone = {.kind = known[i].kind};
		const char *rest = after_prefix(text, known[i].name);

		if (!rest || (!ends_with(known[i].name, ":") && *rest))
			continue;
		if (ends_with(known[i].name, ":") && !milestone_parse_seconds(rest, &milestone.seconds))
			return false;
		*ret = milestone;
		return true;
	}
	return false;
}
