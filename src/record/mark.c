/* SPDX-License-Identifier: MIT */
/* The socket between `headstart mark` and `headstart record`. */
#include "record/mark.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"

/*
 * Datagrams: more than the kernel queues (net.unix.max_dgram_qlen), but few enough that a process which sends without
 * end cannot hold up the recording.
 */
#define TAKEN_AT_ONCE 64

#define GRACE_S 600 /* it begins only when all is prepared */

/* Fills in the address; returns its length, or 0 for a name that is too long. */
static socklen_t address_of(const char *name, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "headstart-record/%s", name);
	if (n >= (int)sizeof(ret->sun_path) - 1)
		return 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

int mark_listen(double seconds, char ret_name[MARK_NAME_MAX])
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;
	char name[MARK_NAME_MAX];
	const int on = 1;
	uint64_t secret;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0 ||
		getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
		return -errno;
	snprintf(name, sizeof(name), "%d-%016llx-%llu", getpid(), (unsigned long long)secret,
		(unsigned long long)boottime_seconds() + (unsigned long long)seconds + GRACE_S);
	if (bind(fd, (struct sockaddr *)&address, address_of(name, &address)) < 0)
		return -errno;
	strcpy(ret_name, name);
	return TAKE_FD(fd);
}

static bool may_mark(const struct markers *markers, uid_t user)
{
	for (size_t i = 0; i < markers->n_users; i++)
		if (markers->users[i] == user)
			return true;
	return user == 0;
}

/*
 * Receives one datagram. Returns whether there was one. *ret is its sender, (uid_t)-1 if the kernel does not name it.
 */
static bool receive(int fd, uid_t *ret)
{
	union {
		char space[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr aligned;
	} control;
	char byte;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	struct ucred sender;

	if (recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return false;
	*ret = (uid_t)-1;
	for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at; at = CMSG_NXTHDR(&message, at))
		if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&sender, CMSG_DATA(at), sizeof(sender));
			*ret = sender.uid;
		}
	return true;
}

bool mark_take(int fd, const struct markers *markers, uid_t *ret_refused)
{
	uid_t sender;

	for (int i = 0; i < TAKEN_AT_ONCE && receive(fd, &sender); i++) {
		if (may_mark(markers, sender))
			return true;
		*ret_refused = sender;
	}
	return false;
}

int mark_send(const char *name)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t length = address_of(name, &address);

	if (fd < 0)
		return -errno;
	if (!length)
		return -ECONNREFUSED;
	return sendto(fd, "mark", 4, 0, (struct sockaddr *)&address, length) < 0 ? -errno : 0;
}
