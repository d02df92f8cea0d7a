/* SPDX-License-Identifier: MIT */
#include "headstartd/look/subordinates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"

#define LOOK_MS 10000

void subordinates_release(struct subordinates *subordinates)
{
	free(subordinates->items);
	*subordinates = (struct subordinates){.path = subordinates->path};
}

/* "USER:FIRST:COUNT"; anything else is passed over. Those of root nobody else can use. */
static void take_line(struct subordinates *subordinates, const char *line)
{
	const char *numbers = strchr(line, ':');
	struct subordinate_range range;

	if (!numbers || after_prefix(line, "root:") || after_prefix(line, "0:") ||
		sscanf(numbers, ":%" SCNu32 ":%" SCNu32, &range.first, &range.count) != 2 ||
		ARRAY_RESERVE(subordinates->items, subordinates->capacity, subordinates->n + 1) < 0)
		return;
	subordinates->items[subordinates->n++] = range;
}

static void read_again(struct subordinates *subordinates)
{
	_cleanup_fclose_ FILE *file = fopen(subordinates->path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	subordinates->n = 0;
	while (file && getline(&line, &size, file) > 0)
		take_line(subordinates, line);
}

static bool has_changed(struct subordinates *subordinates)
{
	struct stat st = {0};

	if (stat(subordinates->path, &st) == 0 && st.st_mtim.tv_sec == subordinates->changed.tv_sec &&
		st.st_mtim.tv_nsec == subordinates->changed.tv_nsec)
		return false;
	subordinates->changed = st.st_mtim;
	return true;
}

bool subordinates_have(struct subordinates *subordinates, uid_t user, uint64_t now_ms)
{
	if (now_ms >= subordinates->look_ms) {
		subordinates->look_ms = now_ms + LOOK_MS;
		if (has_changed(subordinates))
			read_again(subordinates);
	}
	for (size_t i = 0; i < subordinates->n; i++)
		if (user - subordinates->items[i].first < subordinates->items[i].count &&
			user >= subordinates->items[i].first)
			return true;
	return false;
}
