/* SPDX-License-Identifier: MIT */
/* proc(5): stat. */
#include "record/timelines/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"

#define STAT_MAX (1u << 16) /* bytes of text */

/* The name stands in parentheses, and may contain some itself. */
bool thread_status_parse(const char *text, struct thread_status *ret)
{
	const char *begin = strchr(text, '('), *end = strrchr(text, ')');
	size_t length;

	if (!begin || !end || end < begin || sscanf(end + 1, " %c %" SCNd32, &ret->state, &ret->parent) != 2)
		return false;
	length = (size_t)(end - begin - 1);
	if (length >= sizeof(ret->name))
		length = sizeof(ret->name) - 1;
	memcpy(ret->name, begin + 1, length);
	ret->name[length] = 0;
	return true;
}

bool thread_status_read(int32_t pid, int32_t tid, struct thread_status *ret)
{
	_cleanup_free_ char *text = NULL;

	return process_read(pid, STAT_MAX, &text, NULL, "task/%" PRId32 "/stat", tid) == 0 &&
		thread_status_parse(text, ret);
}
