/* SPDX-License-Identifier: MIT */
/* Whole reads and writes, which handle short transfers and EINTR, and opening folders below folders. */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes all of it, or returns negative errno. */
int write_full(int fd, const void *data, size_t size);

/* Reads up to size bytes, fewer only at end of file. Returns the number read or negative errno. */
ssize_t read_full(int fd, void *data, size_t size);

/* The same from an offset, whatever the descriptor's position. offset + size is an off_t; -EINVAL for a negative
 * offset. */
ssize_t pread_full(int fd, void *data, size_t size, off_t offset);

/*
 * Reads the rest of the file, and appends a NUL that ret_size does not count. The caller frees *ret_data. Returns 0,
 * -EFBIG past the limit, or negative errno.
 */
int read_to_end(int fd, size_t limit, char **ret_data, size_t *ret_size);

/*
 * Reads a regular file of at most `limit` bytes, and appends a NUL that ret_size does not count. The caller frees
 * *ret_data. Returns 0, -EFBIG past the limit, -EISDIR or -EINVAL for anything but a regular file (which it does not
 * open), or negative errno.
 */
int read_file(const char *path, size_t limit, char **ret_data, size_t *ret_size);

/* The same for one that open_regular() has opened and that nobody has read from. */
int read_open_file(int fd, size_t limit, char **ret_data, size_t *ret_size);

/* The same for pseudo files (/proc, /sys), whose size the kernel does not report. */
int read_pseudo_file(const char *path, size_t limit, char **ret_data, size_t *ret_size);

/* opendir(3) for a path below the folder `at`. The caller closes *ret. Returns 0 or negative errno. */
int opendir_at(int at, const char *path, DIR **ret);
