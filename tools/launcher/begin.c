/* SPDX-License-Identifier: MIT */
#include "launcher/begin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"

#define KERNEL_LOG "/dev/kmsg"

/* At an abstract address, since there may be nowhere to write to. It is the next free one: another container may share the network. */
static int listen_for_ready(char address[sizeof(((struct sockaddr_un *)0)->sun_path)])
{
	struct sockaddr_un own = {.sun_family = AF_UNIX};
	socklen_t length = sizeof(own);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own.sun_family)) < 0 || /* unix(7): autobind */
		getsockname(fd, (struct sockaddr *)&own, &length) < 0)
		return -errno;
	memcpy(address, own.sun_path, sizeof(own.sun_path));
	address[0] = '@';
	return TAKE_FD(fd);
}

/* Nobody else has `alive`, one end of a pipe; the other end hangs up when this process has ended, whatever it executes. */
static _Noreturn void be_helper(int (*helper)(void), const char *address, int alive)
{
	int log = getenv("container") ? -1 : open(KERNEL_LOG, O_WRONLY | O_CLOEXEC);

	(void)setsid();
	if (log >= 0)
		(void)dup2(log, STDERR_FILENO);
	if (fcntl(alive, F_SETFD, 0) < 0 || setenv("NOTIFY_SOCKET", address, 1) < 0)
		_exit(EXIT_FAILURE);
	_exit(helper());
}

static bool said_ready(int fd)
{
	static const char ready[] = "READY=1";
	char text[sizeof(ready)];

	return recv(fd, text, sizeof(text), 0) == sizeof(ready) - 1 &&
		memcmp(text, ready, sizeof(ready) - 1) == 0;
}

static void await(int ready, int ended, int milliseconds)
{
	struct pollfd fds[] = {{.fd = ready, .events = POLLIN}, {.fd = ended}};
	uint64_t deadline = monotonic_ms() + (uint64_t)milliseconds;

	for (uint64_t now; (now = monotonic_ms()) < deadline;) {
		int n = poll(fds, 2, (int)(deadline - now));

		if ((n < 0 && errno != EINTR) || (n > 0 && (fds[1].revents || said_ready(ready))))
			return;
	}
}

void begin_and_await(int (*helper)(void), int milliseconds)
{
	char address[sizeof(((struct sockaddr_un *)0)->sun_path)];
	_cleanup_close_ int ready = listen_for_ready(address), ended = -1, alive = -1;
	int ends[2];
	pid_t process;

	if (ready < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return;
	ended = ends[0];
	alive = ends[1];
	process = fork();
	if (process < 0)
		return;
	if (process == 0)
		be_helper(helper, address, alive);
	close(TAKE_FD(alive));
	await(ready, ended, milliseconds);
	(void)waitpid(process, NULL, WNOHANG); /* if it goes on, the real init does that */
}
