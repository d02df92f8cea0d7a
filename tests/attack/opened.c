/* SPDX-License-Identifier: MIT */
/*
 * opened FILE SIGN COMMAND…: runs COMMAND, and makes SIGN if anybody opened FILE meanwhile. Opens with O_PATH do not
 * count, as inotify(7) does not report them. Exits with COMMAND's status.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), status;
	char events[4096];
	pid_t child;

	if (argc < 4 || inotify_add_watch(watch, argv[1], IN_OPEN) < 0) {
		perror("opened");
		return 99;
	}
	child = fork();
	if (child == 0) {
		execvp(argv[3], argv + 3);
		_exit(98);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 99;
	if (read(watch, events, sizeof(events)) > 0)
		close(open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
