/* SPDX-License-Identifier: MIT */
/*
 * stand-in ARGUMENT…: takes the place of headstart-prefetch. It appends its user, its limit on processes, and its
 * arguments to the file to which the link EXECUTABLE.ran leads.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	struct rlimit processes = {0};
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(".ran"));
	int fd;

	if (length <= 0)
		return 1;
	strcpy(path + length, ".ran");
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return 1;
	getrlimit(RLIMIT_NPROC, &processes);
	dprintf(fd, "user=%u processes=%llu", (unsigned int)getuid(), (unsigned long long)processes.rlim_cur);
	for (int i = 1; i < argc; i++)
		dprintf(fd, " %s", argv[i]);
	dprintf(fd, "\n");
	return close(fd) == 0 ? 0 : 1;
}
