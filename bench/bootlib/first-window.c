/* SPDX-License-Identifier: MIT */
/* first-window: waits for the first window on the display :0, of which there may be none yet, and says so. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "display/window.h"

#define LOOK_US 10000 /* for the display */

/* Returns as window_watch_seen(). */
static int wait_on_display(struct window_watch *watch)
{
	struct pollfd fd = {.fd = window_watch_fd(watch), .events = POLLIN};
	int r;

	while ((r = window_watch_seen(watch)) == 0)
		poll(&fd, 1, -1);
	return r;
}

int main(void)
{
	int r = 0;

	setenv("DISPLAY", ":0", 1);
	while (r != 1) {
		struct window_watch *watch;

		r = window_watch_new(1, &watch);
		if (r == 0) {
			r = wait_on_display(watch);
			window_watch_free(watch);
		} else if (r != -ENOTCONN) {
			return 1;
		}
		if (r != 1)
			usleep(LOOK_US);
	}
	puts("the first window is there");
	return 0;
}
