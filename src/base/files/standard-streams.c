/* SPDX-License-Identifier: MIT */
#include "base/files/standard-streams.h"

#include <fcntl.h>
#include <unistd.h>

void standard_streams_hold(bool discard)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* Opened the other way, a stream fails as if it were closed. */
		int mode = discard ? O_RDWR : fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", mode | O_CLOEXEC);
	}
}
