/* SPDX-License-Identifier: MIT */
/* Of a thread that waits it is said whom it waits for. Children wait here, and we look at them as the recorder does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "record/waits/name.h"

static pid_t child;
static char folder[] = "/tmp/headstart-wait.XXXXXX";

/* Runs it in a child, which waits there until we kill it. */
static void waits(void (*what)(void *context), void *context)
{
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "sleeper");
		what(context);
		_exit(0);
	}
}

/* What the thread waits for contains these words, sooner or later: it takes a moment until it waits. */
static void expect_of(pid_t tid, const char *words)
{
	for (unsigned i = 0; i < 300000; i++) {
		_cleanup_free_ char *text = wait_name(tid);

		if (text && strstr(text, words))
			return;
		assert_int_equal(waitpid(child, NULL, WNOHANG), 0); /* it is still there */
		usleep(1000);
	}
	fail_msg("nobody says that it waits for %s", words);
}

static void expect(const char *words)
{
	expect_of(child, words);
}

static int end_child(void **state)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
	return 0;
}

static int unix_socket(const char *name, struct sockaddr_un *ret)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s", folder, name);
	unlink(ret->sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)ret, sizeof(*ret)), 0);
	assert_int_equal(listen(fd, 5), 0);
	return fd;
}

static void polls_unix(void *context)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct pollfd polls[] = {{.fd = -1}, {.fd = fd, .events = POLLIN}};

	connect(fd, context, sizeof(struct sockaddr_un));
	poll(polls, 2, -1);
}

static void receives_unix(void *context)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char buffer[8];

	connect(fd, context, sizeof(struct sockaddr_un));
	recv(fd, buffer, sizeof(buffer), 0);
}

static void epolls_unix(void *context)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	connect(fd, context, sizeof(struct sockaddr_un));
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(epoll, &event, 1, -1);
}

/* Whether sockets of others can be looked at: since Linux 5.6, and not in every container. */
static bool copies_descriptors(void)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0),
	    copy = (int)syscall(SYS_pidfd_getfd, self, STDERR_FILENO, 0);

	close(self);
	close(copy);
	return copy >= 0;
}

/* The socket has a path, and the service, which is this test, a name and a number. */
static void unix_services(void **state)
{
	void (*const ways[])(void *) = {polls_unix, receives_unix, epolls_unix};
	struct sockaddr_un address;
	char words[256];
	int fd = unix_socket("service", &address);

	if (!copies_descriptors())
		skip();

	snprintf(words, sizeof(words), "%s, of 'test-wait-name' (%d)", address.sun_path, getpid());
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		waits(ways[i], &address);
		expect(words);
		end_child(state);
	}
	close(fd);
}

static void polls_inet(void *context)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	connect(fd, context, sizeof(struct sockaddr_in));
	poll(&poll_fd, 1, -1);
}

static void hosts_and_ports(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char words[64];

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 5) < 0)
		skip();
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	snprintf(words, sizeof(words), "127.0.0.1:%u", ntohs(address.sin_port));
	waits(polls_inet, &address);
	expect(words);
	close(fd);
}

static void accepts(void *context)
{
	accept(*(int *)context, NULL, NULL);
}

static void services_wait_for_anybody(void **state)
{
	struct sockaddr_un address;
	int fd = unix_socket("listening", &address);

	if (!copies_descriptors())
		skip();

	waits(accepts, &fd);
	expect("whoever connects to /tmp/headstart-wait.");
	close(fd);
}

static void waits_for_child(void *context)
{
	pid_t grandchild = fork();

	if (grandchild == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "grandchild");
		pause();
	}
	waitpid(*(bool *)context ? grandchild : -1, NULL, 0);
}

static void children(void **state)
{
	for (int one = 0; one < 2; one++) {
		bool that_one = one;

		waits(waits_for_child, &that_one);
		expect("'grandchild' (");
		end_child(state);
	}
}

static void locks_file(void *context)
{
	int fd = open(context, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	flock(fd, LOCK_EX);
}

static void holders_of_files(void **state)
{
	char path[64], words[128];
	int fd;

	snprintf(path, sizeof(path), "%s/lock", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	snprintf(words, sizeof(words), "a lock on %s that 'test-wait-name' (%d) holds", path, getpid());
	waits(locks_file, path);
	expect(words);
	close(fd);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

_Noreturn static void *holds_mutex(void *context)
{
	prctl(PR_SET_NAME, "holder");
	pthread_mutex_lock(&mutex);
	*(volatile bool *)context = true;
	for (;;)
		pause();
}

static void waits_for_mutex(void *context)
{
	static volatile bool held;
	pthread_t thread;

	pthread_create(&thread, NULL, holds_mutex, (void *)&held);
	while (!held)
		usleep(1000);
	pthread_mutex_lock(&mutex);
}

static void joins(void *context)
{
	static volatile bool held;
	pthread_t thread;

	pthread_create(&thread, NULL, holds_mutex, (void *)&held);
	pthread_join(thread, NULL);
}

static void threads(void **state)
{
#ifndef __GLIBC__
	skip();
#endif
	waits(waits_for_mutex, NULL);
	expect("a lock that 'holder' (");
	end_child(state);
	waits(joins, NULL);
	expect("the end of 'holder' (");
}

static void reads_pipe(void *context)
{
	int fds[2];
	char c;

	if (pipe(fds) == 0 && read(fds[0], &c, 1) < 0)
		_exit(1);
}

static void pipes(void **state)
{
	waits(reads_pipe, NULL);
	expect("a pipe");
}

/* No call of these tells anything; nor does a thread that is not there. */
static void polls_nonsense(void *context)
{
	poll((struct pollfd *)-4096, 5, 100000);
	select(0, NULL, NULL, NULL, NULL);
	pause();
}

static void nothing_is_said_of_the_rest(void **state)
{
	_cleanup_free_ char *text = NULL, *gone = wait_name(INT32_MAX);

	waits(polls_nonsense, NULL);
	text = wait_name(child);
	assert_null(text);
	assert_null(gone);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(unix_services, end_child),
		cmocka_unit_test_teardown(hosts_and_ports, end_child),
		cmocka_unit_test_teardown(services_wait_for_anybody, end_child),
		cmocka_unit_test_teardown(children, end_child),
		cmocka_unit_test_teardown(holders_of_files, end_child),
		cmocka_unit_test_teardown(threads, end_child),
		cmocka_unit_test_teardown(pipes, end_child),
		cmocka_unit_test_teardown(nothing_is_said_of_the_rest, end_child),
	};

	if (access("/proc/self/syscall", R_OK) < 0) {
		puts("the kernel does not say in which system calls threads are");
		return 77;
	}
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
