/* SPDX-License-Identifier: MIT */
/*
 * Signals of which we want something else than what we start: SIGCHLD, which whoever starts us may ignore, so that the kernel reaps our
 * children by itself, and neither wait(2) nor signalfd(2) tells how they ended; and SIGPIPE.
 */
#pragma once

/* At the beginning of a program: ends of children are told. */
void child_signal_heed(void);

/* From now on, writing where nobody reads any more fails (EPIPE), and does not end us and what depends on us. */
void child_signal_ignore_pipe(void);

/* In a child, before it executes what the caller wants: as it was. */
void child_signal_put_back(void);
