/* SPDX-License-Identifier: MIT */
/*
 * What /proc tells of a process, proc(5). A thread has the same files below its own number. The name of a file is composed as by
 * printf(3): "status", "fdinfo/%d".
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of "status", as a limit for process_read(): 65,536 groups are allowed. */
#define PROCESS_STATUS_MAX (2u << 20)

/* open(2), close-on-exec. Returns a descriptor, the caller's to close, or negative errno. */
int process_open(pid_t pid, int flags, const char *name, ...) __attribute__((format(printf, 3, 4)));

/* read_pseudo_file(). ret_size may be NULL. */
int process_read(pid_t pid, size_t limit, char **ret_text, size_t *ret_size, const char *name, ...)
	__attribute__((format(printf, 5, 6)));

/* The number that follows a key such as "PPid:" in a text such as "status". Returns false if there is none. */
bool process_number(pid_t pid, const char *name, const char *key, uint64_t *ret);

/* The folder with a folder for each thread. NULL if the process has ended. The caller closes it. */
DIR *process_threads(pid_t pid);

/* The next thread of it; 0 after the last one. */
pid_t process_next_thread(DIR *threads);
