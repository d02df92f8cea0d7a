/* SPDX-License-Identifier: MIT */
/* Whether a prefetcher holds the plan that the first argument names (format/plan-locks.h): exit status 0, else 1; 2 for an error. */
#include <fcntl.h>

#include "format/plan-locks.h"

int main(int argc, char **argv)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = PLAN_LOCK_CARRIER};
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0)
		return 2;
	return lock.l_type == F_UNLCK;
}
