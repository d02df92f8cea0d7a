/* SPDX-License-Identifier: MIT */
/*
 * How `headstart mark` reaches `headstart record`: it sends a datagram to an abstract Unix socket (unix(7)). This needs
 * no file and works in any root. Everybody can read the names of such sockets (/proc/net/unix), so knowing the name
 * permits nothing: the kernel names the sender (SCM_CREDENTIALS), and only marks of root or of the users of the
 * recording count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MARK_VARIABLE "HEADSTART_RECORDING" /* the recording's name, in the environment of the command */
#define MARK_NAME_MAX 64

/* Binds a socket and names the recording (format/recording.h), which lasts so many seconds at most. Returns the descriptor or negative errno. */
int mark_listen(double seconds, char ret_name[MARK_NAME_MAX]);

/* The users besides root who may mark. */
struct markers {
	uid_t users[2];
	size_t n_users;
};

/*
 * Takes what has arrived at the socket of mark_listen(). Returns whether a permitted user has marked. *ret_refused is a
 * user whose mark was refused; it is untouched if there was none.
 */
bool mark_take(int fd, const struct markers *markers, uid_t *ret_refused);

/* Marks the recording. Returns 0, -ECONNREFUSED if there is no recording of that name, or negative errno. */
int mark_send(const char *name);
