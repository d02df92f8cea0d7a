/* SPDX-License-Identifier: MIT */
/* A new process of headstart-keep, and a connection to it. */
#pragma once

/*
 * systemd starts the process, if it listens (packaging/headstart-keep.socket); otherwise we do, so that it has what rights we have. It
 * is executed, so that nothing of our memory is in it. Returns the connected socket, over which it wants to be asked
 * (lib/programs/keep-request.h), or negative errno.
 */
int keeper_connect(void);
