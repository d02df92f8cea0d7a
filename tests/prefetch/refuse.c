/* SPDX-License-Identifier: MIT */
/*
 * refuse SYSCALL[,SYSCALL…] ERROR COMMAND…: runs a command to which these system calls fail, by a seccomp
 * filter as containers use them. ERROR is ENOSYS, EPERM or EOPNOTSUPP.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define CALLS_MAX 8

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
	struct sock_filter filter[2 + 2 * CALLS_MAX];
	struct sock_fprog program = {.filter = filter};
	unsigned short n = 0;

	filter[n++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		int number = find_call(name);

		if (number < 0 || n > 2 * CALLS_MAX)
			return -1;
		filter[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
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
