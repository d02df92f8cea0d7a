/* SPDX-License-Identifier: MIT */
#include "record/waits/descriptor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"
#include "base/strings.h"

#define TEXT_MAX 512

void descriptor_put_process(FILE *out, int32_t pid)
{
	_cleanup_free_ char *name = NULL;

	if (process_read(pid, TEXT_MAX, &name, NULL, "comm") < 0) {
		fprintf(out, "process %" PRId32, pid);
		return;
	}
	name[strcspn(name, "\n")] = '\0';
	fprintf(out, "'%s' (%" PRId32 ")", name, pid);
}

static bool put_unix(FILE *out, const struct sockaddr_un *address, size_t size)
{
	size_t length = size > offsetof(struct sockaddr_un, sun_path)
		? size - offsetof(struct sockaddr_un, sun_path)
		: 0;

	if (length > sizeof(address->sun_path))
		length = sizeof(address->sun_path);
	if (length < 2)
		return false;
	if (address->sun_path
			[0]) /* a path ends with a NUL; an abstract name begins with one, and has an '@' for it */
		fprintf(out, "%.*s", (int)strnlen(address->sun_path, length), address->sun_path);
	else
		fprintf(out, "@%.*s", (int)strnlen(address->sun_path + 1, length - 1), address->sun_path + 1);
	return true;
}

bool descriptor_put_address(FILE *out, const struct sockaddr *address, socklen_t size)
{
	char text[INET6_ADDRSTRLEN];

	if (address->sa_family == AF_UNIX)
		return put_unix(out, (const struct sockaddr_un *)address, size);
	if (address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)address;

		fprintf(out, "%s:%u", inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
			ntohs(in->sin_port));
		return true;
	}
	if (address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

		fprintf(out, "[%s]:%u", inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)),
			ntohs(in6->sin6_port));
		return true;
	}
	return false;
}

/* A copy of the thread's descriptor, or negative errno. */
static int copy_descriptor(int32_t tid, int fd)
{
	_cleanup_close_ int pidfd = -1;
	uint64_t process;
	int r;

	if (!process_number(tid, "status", "Tgid:", &process))
		return -ESRCH;
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)process, 0);
	if (pidfd < 0)
		return -errno;
	r = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	return r < 0 ? -errno : r;
}

/* The process at the other end is the one that called listen(2), or made the pair. */
static void put_peer(FILE *out, int socket, bool named)
{
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
		return;
	fputs(named ? ", of " : " to ", out);
	descriptor_put_process(out, peer.pid);
}

/* An address of /proc/net/tcp: words as they lie in memory, in hexadecimal. */
static bool put_hex_address(FILE *out, const char *hex, unsigned int port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	uint32_t words[4] = {0};
	size_t n = strlen(hex) / 8;

	for (size_t i = 0; i < n && i < 4; i++)
		if (sscanf(hex + 8 * i, "%8" SCNx32, &words[i]) != 1)
			return false;
	if (port == 0)
		return false;
	memcpy(&in.sin_addr, words, sizeof(in.sin_addr));
	memcpy(&in6.sin6_addr, words, sizeof(in6.sin6_addr));
	return n == 1 ? descriptor_put_address(out, (const struct sockaddr *)&in, sizeof(in))
		      : descriptor_put_address(out, (const struct sockaddr *)&in6, sizeof(in6));
}

/* To whom the socket wants to be connected, which getpeername(2) does not say, or is connected. */
static bool put_remote(FILE *out, int32_t tid, unsigned long long inode)
{
	static const char *const lists[] = {"tcp", "tcp6", "udp", "udp6"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		_cleanup_free_ char *text = NULL;

		if (process_read(tid, 4 << 20, &text, NULL, "net/%s", lists[i]) < 0)
			continue;
		for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
			unsigned long long other;
			unsigned int port;
			char hex[33];

			/* number, local address, remote one, state, queues, timer, retransmissions, user, time-out */
			if (sscanf(line, "%*s %*s %32[0-9A-Fa-f]:%x %*s %*s %*s %*s %*s %*s %llu", hex, &port,
				    &other) == 3 &&
				other == inode)
				return put_hex_address(out, hex, port);
		}
	}
	return false;
}

static void put_listening(FILE *out, int socket)
{
	union {
		struct sockaddr any;
		struct sockaddr_storage storage;
	} address = {0};
	socklen_t size = sizeof(address);

	fputs("whoever connects to ", out);
	if (getsockname(socket, &address.any, &size) < 0 || !descriptor_put_address(out, &address.any, size))
		fputs("a socket", out);
}

static bool is_of_network(int socket)
{
	int domain = AF_UNSPEC;
	socklen_t size = sizeof(domain);

	return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
		(domain == AF_INET || domain == AF_INET6);
}

static void put_socket(FILE *out, int32_t tid, int fd, unsigned long long inode)
{
	_cleanup_close_ int socket = copy_descriptor(tid, fd);
	union {
		struct sockaddr any;
		struct sockaddr_storage storage;
	} address = {0};
	socklen_t size = sizeof(address);
	int listens = 0;
	bool named = false;

	if (socket >= 0 && getpeername(socket, &address.any, &size) == 0)
		named = descriptor_put_address(out, &address.any, size);
	size = sizeof(listens);
	if (!named && socket >= 0 && getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 &&
		listens) {
		put_listening(out, socket);
		return;
	}
	/* The kernel's lists are long, and are made anew for each who reads them. */
	if (!named && (socket < 0 || is_of_network(socket)) && put_remote(out, tid, inode))
		return;
	if (!named)
		fputs("a socket", out);
	if (socket >= 0)
		put_peer(out, socket, named);
}

bool descriptor_put(FILE *out, int32_t tid, int fd)
{
	char path[64], link[TEXT_MAX];
	unsigned long long inode;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%d", tid, fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return false;
	link[n] = '\0';
	if (sscanf(link, "socket:[%llu]", &inode) == 1) {
		put_socket(out, tid, fd, inode);
	} else if (strncmp(link, "pipe:", 5) == 0) {
		fputs("a pipe", out);
	} else if (strncmp(link, "anon_inode:", 11) == 0) {
		return false; /* what a thread tells itself, or a timer */
	} else {
		fputs(link, out);
	}
	return true;
}
