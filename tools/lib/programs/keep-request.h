/* SPDX-License-Identifier: MIT */
/*
 * What headstartd and headstart-keep say to each other, over a connected SOCK_SEQPACKET socket, which is headstart-keep's standard input:
 * one request with a file in memory, and two answers of a byte each, that work on it has begun, and what came of it.
 */
#pragma once

#include <stdint.h>

#include "base/texts/daemon-note.h"

/* Where systemd listens for headstart-keep@.service (packaging/headstart-keep.socket). */
#define KEEP_SOCKET DAEMON_FOLDER "/keep"

enum keep_kind {
	KEEP_LEARNT =
		1, /* keep what a start has touched: the file has two profiles, everybody's and the user's own */
	KEEP_CARRY, /* carry out the user's own plan: the file has two texts, the program, and what was executed */
};

struct keep_request {
	uint32_t version; /* KEEP_VERSION: what another version asks for, we do not know */
	uint32_t kind;
	uint32_t user; /* not root */
	uint32_t group;
	uint32_t
		number; /* KEEP_LEARNT: `found` of start_keep() (keeper/start.h); KEEP_CARRY: the process of the start */
};

#define KEEP_VERSION 3
#define KEEP_S       30 /* seconds, after which headstart-keep ends itself: nobody needs the right to end it */

enum keep_answer {
	KEEP_GONE = 0, /* the other end is closed, or has said something else */
	KEEP_BEGUN = 'b',
	KEEP_ENDED = 'e', /* it has ended: the user has no new plan, or nobody knows whether there is one */
	KEEP_NONE = 'n',  /* it has ended, and the user has no plan of the program */
	KEEP_HAS =
		'h', /* it has ended, and the user has a plan of the program; which may still be carried out */
};

/*
 * Whether the other end is root's: who connected, who listened as the kernel noted it at listen(2), or who made the pair of sockets.
 * Returns 0, -EPERM, or negative errno.
 */
int keep_check_peer(int socket);

/* Sends the request with the open file. Returns 0 or negative errno. */
int keep_ask(int socket, const struct keep_request *request, int file);

/*
 * Receives a request that root has sent. *ret_file is the caller's to close. Returns 0, -ENOTSOCK, -EPERM if it is not from root,
 * -EBADMSG if it is no request, or negative errno.
 */
int keep_asked(int socket, struct keep_request *ret, int *ret_file);

/* Answers, if somebody still listens. */
void keep_answer(int socket, enum keep_answer answer);

/* Waits so long for the next answer. Returns 0, or -EAGAIN if there is none. */
int keep_answered(int socket, unsigned timeout_s, enum keep_answer *ret);
