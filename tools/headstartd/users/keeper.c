/* SPDX-License-Identifier: MIT */
#include "headstartd/users/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "headstartd/helpers/beside.h"
#include "lib/programs/keep-request.h"

#define CONNECT_S 5 /* systemd may have no time */

static int connect_to_unit(void)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = KEEP_SOCKET};
	const struct timeval timeout = {.tv_sec = CONNECT_S};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
		connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	r = keep_check_peer(fd);
	return r < 0 ? r : TAKE_FD(fd);
}

static _Noreturn void become_keeper(int socket)
{
	char path[PATH_MAX], *argv[] = {(char *)"headstart-keep", NULL}, *envp[] = {NULL};
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	beside_find("headstart-keep", path);
	if (setsid() >= 0 && nothing >= 0 && dup2(socket, STDIN_FILENO) >= 0 &&
		dup2(nothing, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0 &&
		syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
		execve(path, argv, envp);
	_exit(127);
}

static int start(void)
{
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	child = fork();
	if (child == 0)
		become_keeper(ends[1]);
	close(ends[1]);
	if (child > 0)
		return ends[0];
	close(ends[0]);
	return -EAGAIN;
}

int keeper_connect(void)
{
	int fd = connect_to_unit();

	return fd == -ENOENT || fd == -ECONNREFUSED ? start() : fd;
}
