/* SPDX-License-Identifier: MIT */
/* For unit tests, after cmocka.h: files in memory with given contents. */
#pragma once

#include <sys/mman.h>
#include <unistd.h>

/* Returns a descriptor, which the caller closes. */
static inline int memory_file(const void *data, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}
