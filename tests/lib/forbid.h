/* SPDX-License-Identifier: MIT */
/* A seccomp filter of this thread, and of all that it starts. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#define FORBID_MAX 64

/* These system calls get `answer`, SECCOMP_RET_KILL_PROCESS and the like; n <= FORBID_MAX. Returns 0 or -1. */
static inline int forbid(const unsigned int *calls, size_t n, unsigned int answer)
{
	struct sock_filter code[FORBID_MAX + 3];
	struct sock_fprog program = {.len = (unsigned short)(n + 3), .filter = code};

	if (n > FORBID_MAX)
		return -1;
	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, calls[i], (unsigned char)(n - i), 0);
	code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
