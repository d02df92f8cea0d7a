/* SPDX-License-Identifier: MIT */
/*
 * How `headstart mark` reaches `headstart record`: a datagram to an abstract Unix socket (unix(7)). It needs no file and
 * works in any root. Everybody can read the names of such sockets (/proc/net/unix), so the name permits nothing: the
 * kernel tells who sends (SCM_CREDENTIALS), and only a mark of root or of the users of the recording counts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MARK_VARIABLE "HEADSTART_RECORDING" /* the recording's name, in the environment of the command */
#define MARK_NAME_MAX 64

/* A bound socket, and the name of the recording. Returns the descriptor or negative errno. */
int mark_listen(char ret_name[MARK_NAME_MAX]);

/* Who besides root may mark. */
struct markers {
	uid_t users[2];
	size_t n_users;
};

/*
 * Takes what has come to the socket of mark_listen(). Returns whether there was a mark of somebody who may. *ret_refused
 * is the user of one who may not, untouched where there was none.
 */
bool mark_take(int fd, const struct markers *markers, uid_t *ret_refused);

/* Marks the recording. Returns 0, -ECONNREFUSED where there is none of that name, or negative errno. */
int mark_send(const char *name);
