/* SPDX-License-Identifier: MIT */
/* The watcher sends an int when it watches (0, or negative errno), and one when a window was seen (1). */
#include "record/command/window-watcher.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/signals.h"
#include "base/times.h"
#include "display/window.h"
#include "record/command/detach.h"
#include "record/command/user.h"

/* Returns 1, or negative errno; -ECANCELED once the recorder has closed its end. */
static int watch_until_seen(struct window_watch *watch, int recorder)
{
	struct pollfd fds[] = {
		{.fd = window_watch_fd(watch), .events = POLLIN},
		{.fd = recorder, .events = POLLIN},
	};
	int r;

	while ((r = window_watch_seen(watch)) == 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents)
			return -ECANCELED;
	}
	return r;
}

#define PATIENCE_S 10u /* until the display has answered */

static _Noreturn void be_watcher(const char *user, pid_t recorder_pid, int recorder)
{
	struct window_watch *watch = NULL;
	int r = user ? user_become(user) : 0;

	/* What is mapped would stay in the page cache when it is dropped. */
	detach_from_files();
	signal(SIGALRM, SIG_DFL);
	signal_unblock(SIGALRM);
	alarm(PATIENCE_S + 5); /* the recorder has given up by then */
	if (r == 0)
		r = window_watch_new(recorder_pid, &watch);
	alarm(0);
	if (send(recorder, &r, sizeof(r), MSG_NOSIGNAL) == sizeof(r) && r == 0) {
		r = watch_until_seen(watch, recorder);
		send(recorder, &r, sizeof(r), MSG_NOSIGNAL);
	}
	_exit(0);
}

/* What the watcher says of the display, which is the user's, and may never answer. */
static int await_word(int watcher)
{
	struct pollfd word = {.fd = watcher, .events = POLLIN};
	uint64_t end = monotonic_ms() + PATIENCE_S * 1000u, now;
	int r = 0;

	while (r <= 0 && (now = monotonic_ms()) < end) {
		r = poll(&word, 1, (int)(end - now));
		if (r < 0 && errno != EINTR)
			return -errno;
	}
	if (r <= 0)
		return -ETIME;
	return recv(watcher, &r, sizeof(r), 0) == sizeof(r) ? r : -EPIPE;
}

int window_watcher_start(const char *user, int *ret)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	pid_t self = getpid(), child;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	ours = ends[0];
	theirs = ends[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		close(ours);
		/* A session of its own, because the keys for interrupt and quit are for the command. */
		if (setsid() >= 0 && fork() == 0)
			be_watcher(user, self, theirs);
		_exit(0);
	}
	while (waitpid(child, NULL, 0) < 0)
		if (errno != EINTR)
			return -errno;
	close(TAKE_FD(theirs));
	r = await_word(ours);
	if (r == 0)
		*ret = TAKE_FD(ours);
	return r;
}

int window_watcher_seen(int fd)
{
	int r;

	return recv(fd, &r, sizeof(r), MSG_DONTWAIT) == sizeof(r) && r > 0 ? 1 : -ECONNRESET;
}
