/* SPDX-License-Identifier: MIT */
/*
 * stand-in ARGUMENT…: takes the place of headstart-prefetch. It appends its user and its arguments to the file that the link
 * EXECUTABLE.ran leads to.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(".ran"));
	int fd;

	if (length <= 0)
		return 1;
	strcpy(path + length, ".ran");
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return 1;
	dprintf(fd, "user=%u", (unsigned int)getuid());
	for (int i = 1; i < argc; i++)
		dprintf(fd, " %s", argv[i]);
	dprintf(fd, "\n");
	return close(fd) == 0 ? 0 : 1;
}
