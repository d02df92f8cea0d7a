/* SPDX-License-Identifier: MIT */
/* The pseudo-terminal, and the thread that relays. */
#include "record/command/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"

/* More than the kernel keeps of a pseudo-terminal's output (drivers/tty: 8192 in pty.c, 4096 in n_tty.c). */
#define REST_MAX 65536u

struct terminal {
	bool replaced[3];      /* which standard descriptors are terminals */
	int own;               /* one of them; the command's output goes there */
	int master, slave;     /* owned; slave: until the child has it */
	int stop;              /* owned: an eventfd that ends the relay */
	bool typed;            /* we relay keys, and have changed our terminal's modes */
	struct termios before; /* its modes */
	pthread_t thread;
	bool running;
	uint64_t relayed;       /* bytes of the command's output */
	pthread_mutex_t screen; /* held while we write to our own terminal */
	bool told;              /* a line of progress is on it */
	bool mid_line;          /* the command's output has not ended its last line */
};

static int open_pair(struct terminal *terminal)
{
	int unlock = 0;

	terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (terminal->master < 0)
		return errno == ENOENT ? -ENODEV : -errno; /* no devpts: in a bare chroot */
	if (ioctl(terminal->master, TIOCSPTLCK, &unlock) < 0)
		return -errno;
	terminal->slave = ioctl(terminal->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return terminal->slave < 0 ? -errno : 0;
}

/*
 * Copies size and modes of our own terminal. Exactly one of the two converts line ends: the pseudo-terminal if we relay
 * keys (pass_on_keys()), else our own.
 */
static int set_up(struct terminal *terminal, uid_t user)
{
	struct termios modes;
	struct winsize size;

	if (tcgetattr(terminal->own, &terminal->before) < 0)
		return -errno;
	modes = terminal->before;
	if (!terminal->typed)
		modes.c_oflag &= ~(tcflag_t)OPOST;
	if (tcsetattr(terminal->slave, TCSANOW, &modes) < 0 || fchown(terminal->slave, user, (gid_t)-1) < 0)
		return -errno;
	if (ioctl(terminal->own, TIOCGWINSZ, &size) == 0)
		ioctl(terminal->slave, TIOCSWINSZ, &size);
	return 0;
}

/* We may change modes and read input only while no other job has the terminal. */
static bool in_foreground(int fd)
{
	return tcgetpgrp(fd) == getpgrp();
}

int terminal_new(const char *user, struct terminal **ret)
{
	const struct passwd *entry = getpwnam(user);
	struct terminal *terminal;
	int r;

	*ret = NULL;
	if (!entry)
		return -ENOENT;
	terminal = malloc(sizeof(*terminal));
	if (!terminal)
		return -ENOMEM;
	*terminal = (struct terminal){
		.own = -1, .master = -1, .slave = -1, .stop = -1, .screen = PTHREAD_MUTEX_INITIALIZER};
	for (int i = 0; i < 3; i++) {
		static const int order[] = {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO};

		terminal->replaced[order[i]] = isatty(order[i]);
		if (terminal->replaced[order[i]] && terminal->own < 0)
			terminal->own = order[i];
	}
	if (terminal->own < 0) {
		terminal_free(terminal);
		return 0;
	}
	terminal->typed = terminal->replaced[STDIN_FILENO] && in_foreground(STDIN_FILENO);
	r = open_pair(terminal);
	if (r == 0)
		r = set_up(terminal, entry->pw_uid);
	if (r < 0) {
		terminal->typed = false;
		terminal_free(terminal);
		return r;
	}
	*ret = terminal;
	return 0;
}

int terminal_enter(const struct terminal *terminal)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (terminal->replaced[fd] && dup2(terminal->slave, fd) < 0)
			return -errno;
	return 0;
}

/* Our own terminal may be O_NONBLOCK, which is set for all that have it open. */
static int show(const struct terminal *terminal, const char *text, size_t size)
{
	struct pollfd room = {.fd = terminal->own, .events = POLLOUT};

	while (size > 0) {
		ssize_t n = write(terminal->own, text, size);

		if (n < 0 && errno == EAGAIN)
			poll(&room, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -errno;
		text += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* These two are called with `screen` held. */
static void clear_told(struct terminal *terminal)
{
	static const char clear[] = "\r\033[K";

	if (terminal->told)
		show(terminal, clear, sizeof(clear) - 1);
	terminal->told = false;
}

static void end_line(struct terminal *terminal)
{
	clear_told(terminal);
	if (terminal->mid_line)
		show(terminal, "\r\n", 2);
	terminal->mid_line = false;
}

void terminal_tell(struct terminal *terminal, const char *text)
{
	pthread_mutex_lock(&terminal->screen);
	if (!terminal->mid_line) {
		clear_told(terminal);
		terminal->told = true;
		show(terminal, text, strlen(text));
	}
	pthread_mutex_unlock(&terminal->screen);
}

void terminal_end_line(struct terminal *terminal)
{
	if (!terminal)
		return;
	pthread_mutex_lock(&terminal->screen);
	end_line(terminal);
	pthread_mutex_unlock(&terminal->screen);
}

/* Both return whether more may come. */
static bool relay_output(struct terminal *terminal)
{
	char data[4096];
	ssize_t n = read(terminal->master, data, sizeof(data));
	int r;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	terminal->relayed += (uint64_t)n;
	pthread_mutex_lock(&terminal->screen);
	clear_told(terminal);
	r = show(terminal, data, (size_t)n);
	terminal->mid_line = data[n - 1] != '\n';
	pthread_mutex_unlock(&terminal->screen);
	return r == 0;
}

/*
 * If the command does not read, keys for which there is no room are lost, as with any terminal. The relay must not
 * wait.
 */
static bool relay_keys(const struct terminal *terminal)
{
	char data[512];
	ssize_t n = read(STDIN_FILENO, data, sizeof(data));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n > 0 && (write(terminal->master, data, (size_t)n) >= 0 || errno == EINTR || errno == EAGAIN);
}

/* Something that the command has left behind may write without end. */
static void *relay(void *argument)
{
	struct terminal *terminal = argument;
	uint64_t end = UINT64_MAX;
	struct pollfd fds[] = {
		{.fd = terminal->master, .events = POLLIN},
		{.fd = terminal->typed ? STDIN_FILENO : -1, .events = POLLIN},
		{.fd = terminal->stop, .events = POLLIN},
	};

	while (fds[0].fd >= 0 && terminal->relayed < end) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			break;
		if (fds[2].revents && end == UINT64_MAX)
			end = terminal->relayed + REST_MAX;
		if (fds[0].revents && !relay_output(terminal))
			fds[0].fd = -1; /* all other ends are closed, or our terminal has gone */
		else if (fds[2].revents && !fds[0].revents)
			break;
		if (fds[1].revents && !relay_keys(terminal))
			fds[1].fd = -1;
	}
	close(TAKE_FD(terminal->master)); /* or what still writes would wait for ever */
	return NULL;
}

/*
 * Passes keys on unchanged: the pseudo-terminal echoes them and makes lines of them. Our own terminal still turns keys
 * into signals.
 */
static int pass_on_keys(const struct terminal *terminal)
{
	struct termios modes = terminal->before;

	modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
	modes.c_oflag &= ~(tcflag_t)OPOST;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	modes.c_cc[VSUSP] = _POSIX_VDISABLE;
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) < 0 ? -errno : 0;
}

int terminal_relay(struct terminal *terminal)
{
	sigset_t all, before;
	int r;

	close(TAKE_FD(terminal->slave));
	terminal->stop = eventfd(0, EFD_CLOEXEC);
	if (terminal->stop < 0)
		return -errno;
	r = terminal->typed ? pass_on_keys(terminal) : 0;
	if (r < 0)
		return r;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&terminal->thread, NULL, relay, terminal);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	terminal->running = r == 0;
	return r;
}

void terminal_free(struct terminal *terminal)
{
	const uint64_t one = 1;

	if (!terminal)
		return;
	if (terminal->running) {
		write_full(terminal->stop, &one, sizeof(one));
		pthread_join(terminal->thread, NULL);
		end_line(terminal);
	}
	if (terminal->typed)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
	cleanup_closep(&terminal->master);
	cleanup_closep(&terminal->slave);
	cleanup_closep(&terminal->stop);
	free(terminal);
}
