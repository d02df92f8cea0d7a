/* SPDX-License-Identifier: MIT */
#include "lib/programs/keep-request.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* Room for one descriptor (cmsg(3)), or two, by its alignment. */
union one_descriptor {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int keep_ask(int socket, const struct keep_request *request, int file)
{
	struct iovec data = {.iov_base = (void *)request, .iov_len = sizeof(*request)};
	union one_descriptor control = {0};
	const struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room)};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &file, sizeof(int));
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int take_descriptor(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
		header->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(header), sizeof(int));
	return fd;
}

int keep_check_peer(int socket)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	return peer.uid == 0 ? 0 : -EPERM;
}

int keep_asked(int socket, struct keep_request *ret, int *ret_file)
{
	struct keep_request request;
	struct iovec data = {.iov_base = &request, .iov_len = sizeof(request)};
	union one_descriptor control = {0};
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room)};
	_cleanup_close_ int file = -1;
	int r = keep_check_peer(socket); /* nobody else may let us become a user */
	ssize_t n = r < 0 ? 0 : recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	if (r < 0 || n < 0)
		return r < 0 ? r : -errno;
	file = take_descriptor(&message);
	if (file < 0 || n != sizeof(request) || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
		request.version != KEEP_VERSION)
		return -EBADMSG;
	*ret = request;
	*ret_file = TAKE_FD(file);
	return 0;
}

void keep_answer(int socket, enum keep_answer answer)
{
	const char byte = (char)answer;

	(void)!send(socket, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int keep_answered(int socket, unsigned timeout_s, enum keep_answer *ret)
{
	static const char answers[] = {KEEP_BEGUN, KEEP_ENDED, KEEP_NONE, KEEP_HAS};
	const struct timeval timeout = {.tv_sec = (time_t)timeout_s};
	char byte = KEEP_GONE;

	if (setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	if (recv(socket, &byte, 1, 0) < 0 && errno != ECONNRESET)
		return -errno;
	*ret = memchr(answers, byte, sizeof(answers)) ? (enum keep_answer)byte : KEEP_GONE;
	return 0;
}
