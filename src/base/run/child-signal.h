/* SPDX-License-Identifier: MIT */
/*
 * SIGCHLD, which whoever starts us may ignore: then the kernel reaps our children by itself, and neither wait(2) nor signalfd(2)
 * tells how they ended.
 */
#pragma once

/* At the beginning of a program: ends of children are told. */
void child_signal_heed(void);

/* In a child, before it executes what the caller wants: as it was. */
void child_signal_put_back(void);
