/* SPDX-License-Identifier: MIT */
/* The socket between mark and record. */
#include "mark.h"

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

int mark_listen(char ret_name[MARK_NAME_MAX])
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;
	char name[MARK_NAME_MAX];
	uint64_t secret;

	if (fd < 0 || getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
		return -errno;
	snprintf(name, sizeof(name), "%d-%016llx", getpid(), (unsigned long long)secret);
	if (bind(fd, (struct sockaddr *)&address, address_of(name, &address)) < 0)
		return -errno;
	strcpy(ret_name, name);
	return TAKE_FD(fd);
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
