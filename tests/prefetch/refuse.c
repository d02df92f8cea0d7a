/* SPDX-License-Identifier: MIT */
/*
 * refuse SYSCALL[,SYSCALL…] ERROR COMMAND…: runs a command for which these system calls fail, by a seccomp filter
 * like those of containers. ERROR is ENOSYS, EPERM or EOPNOTSUPP.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "forbid.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	int number;
} calls[] =
	{
		{"io_uring_setup", SYS_io_uring_setup},
		{"io_uring_enter", SYS_io_uring_enter},
		{"io_uring_register", SYS_io_uring_register},
		{"preadv2", SYS_preadv2},
		{"fadvise64", SYS_fadvise64},
		{"openat2", SYS_openat2},
		{"fsopen", SYS_fsopen},
		{"mincore", SYS_mincore},
		{"pidfd_open", SYS_pidfd_open},
},
  errors[] = {{"ENOSYS", ENOSYS}, {"EPERM", EPERM}, {"EOPNOTSUPP", EOPNOTSUPP}};

static int find_call(const char *name)
{
	for (size_t i = 0; i < COUNT(calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].number;
	return -1;
}

static int find_error(const char *name)
{
	for (size_t i = 0; i < COUNT(errors); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].number;
	return -1;
}

static int refuse(char *names, int error)
{
	unsigned int numbers[COUNT(calls)];
	size_t n = 0;

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		int number = find_call(name);

		if (number < 0 || n == COUNT(calls))
			return -1;
		numbers[n++] = (unsigned int)number;
	}
	return forbid(numbers, n, SECCOMP_RET_ERRNO | (unsigned int)error);
}

int main(int argc, char **argv)
{
	int error = argc > 3 ? find_error(argv[2]) : -1;

	if (error < 0 || refuse(argv[1], error) < 0) {
		fprintf(stderr, "refuse: cannot refuse that\n");
		return 77;
	}
	execvp(argv[3], argv + 3);
	return 127;
}
