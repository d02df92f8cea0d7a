/* SPDX-License-Identifier: MIT */
#include "headstartd/look/lately.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/strings.h"

static size_t place_of(const char *executed)
{
	return hash64(executed, strlen(executed)) % LATELY_ITEMS;
}

static void item_release(struct lately_item *item)
{
	free(item->executed);
	free(item->program);
	*item = (struct lately_item){0};
}

void lately_release(struct lately *lately)
{
	for (size_t i = 0; i < LATELY_ITEMS; i++)
		item_release(&lately->items[i]);
}

/* What lies there is another file for each process. */
static bool is_own_of_process(const char *executed)
{
	return after_prefix(executed, "/proc/") || after_prefix(executed, "/dev/");
}

void lately_note(struct lately *lately, const struct process_seen *seen, uint64_t now_ms)
{
	struct lately_item *item = &lately->items[place_of(seen->executed)];
	struct process_marks marks;

	if (!seen->here || !seen->fixed || is_own_of_process(seen->executed) ||
		!streq(seen->program, seen->image) || !process_marks(seen->pid, &marks))
		return;
	item_release(item);
	item->executed = strdup(seen->executed);
	item->program = strdup(seen->program);
	item->marks = marks;
	item->until_ms = now_ms + LATELY_MS;
	if (!item->executed || !item->program)
		item_release(item);
}

bool lately_knows(const struct lately *lately, struct process_seen *seen, uint64_t now_ms)
{
	const struct lately_item *item = &lately->items[place_of(seen->executed)];
	struct process_marks marks;

	if (!item->executed || item->until_ms <= now_ms || !streq(item->executed, seen->executed) ||
		!process_marks(seen->pid, &marks) || marks.owner != item->marks.owner ||
		marks.mount != item->marks.mount)
		return false;
	seen->named = true;
	snprintf(seen->program, sizeof(seen->program), "%s", item->program);
	return true;
}
