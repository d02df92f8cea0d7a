/* SPDX-License-Identifier: MIT */
/* unclaimed PLAN…: returns when nobody carries out these plans any more, or waits for that (format/plan-locks.h). */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = open(argv[i], O_RDWR | O_CLOEXEC);

		if (fd < 0 || fcntl(fd, F_SETLKW, &all) < 0) {
			perror(argv[i]);
			return 1;
		}
		close(fd);
	}
	return 0;
}
