/* SPDX-License-Identifier: MIT */
/*
 * locked FILE WAY PROGRAM: takes a record lock (fcntl(2)) on all of FILE, and starts PROGRAM by posix_spawn or
 * vfork-execv, as WAY says. If WAY is "reopen", it starts nothing, but opens and closes FILE once more, which loses
 * the lock. Exits with 98 if the lock is lost by then, and otherwise with the status of PROGRAM.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(pid_t child)
{
	int status;

	if (child <= 0 || waitpid(child, &status, 0) != child)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int start(const char *way, char *file, char **program)
{
	pid_t child = -1;

	if (strcmp(way, "reopen") == 0)
		return close(open(file, O_RDONLY | O_CLOEXEC)) == 0 ? 7 : 2;
	if (strcmp(way, "posix_spawn") == 0)
		return posix_spawn(&child, program[0], NULL, NULL, program, environ) == 0 ? status_of(child)
											  : 2;
	child = vfork();
	if (child == 0) {
		execv(program[0], program);
		_exit(2);
	}
	return status_of(child);
}

/* A child asks, since a process does not see its own locks. */
static bool is_locked(int fd)
{
	pid_t holder = getpid(), child = fork();

	if (child == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

		_exit(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK && lock.l_pid == holder ? 0
												       : 1);
	}
	return status_of(child) == 0;
}

int main(int argc, char **argv)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd, status;

	if (argc < 4)
		return 2;
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0 || !is_locked(fd)) {
		perror(argv[1]);
		return 2;
	}
	status = start(argv[2], argv[1], argv + 3);
	return is_locked(fd) ? status : 98;
}
