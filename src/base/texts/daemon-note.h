/* SPDX-License-Identifier: MIT */
/*
 * What headstartd says of itself, for `headstart status`, and what it is told. Only root can write here. The note is a
 * line for each number, "NAME: NUMBER".
 */
#pragma once

#define DAEMON_FOLDER   "/run/headstart"
#define DAEMON_NOTE     DAEMON_FOLDER "/daemon"
#define DAEMON_PAUSED   DAEMON_FOLDER "/paused" /* while this exists, the daemon does nothing but look on */
#define DAEMON_NAME     "headstartd"            /* as /proc/PID/comm has it */
#define DAEMON_NOTE_MAX 4096                    /* bytes */
