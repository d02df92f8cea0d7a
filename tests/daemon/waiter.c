/* SPDX-License-Identifier: MIT */
/* Waits until the file GO exists, a minute at most, then reads all of DATA. No argument names them: documents have no plan. */
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	static char buffer[65536];
	int fd;

	for (int i = 0; i < 6000 && access(GO, F_OK) < 0; i++)
		usleep(10000);
	fd = open(DATA, O_RDONLY);
	while (fd >= 0 && read(fd, buffer, sizeof(buffer)) > 0)
		;
	usleep(300000); /* so that somebody can look at what was read */
	return fd < 0;
}
