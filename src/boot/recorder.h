/* SPDX-License-Identifier: MIT */
/*
 * Finds processes that work for a boot: the prefetcher and the recorder each lock a file in /run/headstart, where only root
 * can write, and the kernel says who holds a lock. It goes with its process, however that ends.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

#define BOOT_PREFETCHER "/run/headstart/boot-prefetcher"
#define BOOT_RECORDER   "/run/headstart/boot-recorder"

/* The recorder keeps what it has. At SIGTERM it keeps nothing: the machine shuts down. */
#define BOOT_STOP      SIGINT
#define BOOT_STOP_IDLE SIGUSR1 /* when the machine is idle */

/* Returns a descriptor; while it and all others of this file are open in this process, it has the lock. -EBUSY: another process has it. */
int boot_lock(const char *path);

/* Sends the process that has the lock a signal. Returns 0, -ESRCH if there is none, or negative errno. */
int boot_signal(const char *path, int signal);
