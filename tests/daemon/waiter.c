/* SPDX-License-Identifier: MIT */
/*
 * Waits until the file GO exists, a minute at most, then reads two files beside DATA if they exist, reads all of DATA, or of DATA-WORD if
 * there is an argument WORD, and executes two programs there. It stays while there is a file GO.stay. No argument names a file: documents
 * have no plan.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_all(const char *path)
{
	static char buffer[65536];
	int fd = open(path, O_RDONLY);

	while (fd >= 0 && read(fd, buffer, sizeof(buffer)) > 0)
		;
	return fd;
}

static void execute(const char *path)
{
	pid_t pid = access(path, X_OK) == 0 ? fork() : -1;

	if (pid == 0) {
		execl(path, path, NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	static char path[4096];
	int fd;

	for (int i = 0; i < 6000 && access(GO, F_OK) < 0; i++)
		usleep(10000);
	(void)read_all(DATA ".closed/data");
	(void)read_all(DATA ".theirs");
	snprintf(path, sizeof(path), argc > 1 ? DATA "-%s" : DATA "%s", argc > 1 ? argv[1] : "");
	fd = read_all(path);
	execute(DATA "-helper"); /* whoever has seen enough of the reads to learn this start sees these */
	execute(DATA ".closed/helper");
	usleep(300000); /* so that somebody can look at what was read */
	for (int i = 0; i < 6000 && access(GO ".stay", F_OK) == 0; i++)
		usleep(10000);
	return fd < 0;
}
