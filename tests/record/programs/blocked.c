/* SPDX-License-Identifier: MIT */
/* Sleeps for three seconds as a program does that waits for a disk (state D): until its vfork(2) child has ended. Then it reads FILE, and stays. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char byte;
	int fd;

	if (argc != 2)
		return 2;
	if (vfork() == 0) {
		sleep(3);
		_exit(0);
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || read(fd, &byte, 1) != 1)
		return 1;
	sleep(100);
	return 0;
}
