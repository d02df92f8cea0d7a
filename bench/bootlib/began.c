/* SPDX-License-Identifier: MIT */
/* began INIT [ARGUMENT…]: the first process of a container. Says at what second of the machine's clock it is there, and becomes INIT. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("began at %lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
	fflush(stdout);
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 1;
}
