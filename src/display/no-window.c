/* SPDX-License-Identifier: MIT */
/* In place of window.c where libxcb is missing. */
#include <errno.h>
#include <stddef.h>

#include "display/window.h"

int window_watch_new(pid_t root, struct window_watch **ret)
{
	return -ENOSYS;
}

int window_watch_fd(const struct window_watch *watch)
{
	return -1;
}

int window_watch_seen(struct window_watch *watch)
{
	return 0;
}

void window_watch_free(struct window_watch *watch)
{
}
