/* SPDX-License-Identifier: MIT */
/*
 * filtered kill|trap|errno PROGRAM…: runs PROGRAM under a seccomp filter against everything that the shim might call
 * beyond openat, read and close. `filtered kill probe` makes one of these calls itself, and must not survive it. readlinkat
 * is allowed, since ld.so itself calls it for $ORIGIN (on x86-64 since glibc 2.41).
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "forbid.h"

static const unsigned int forbidden[] = {__NR_io_uring_setup, __NR_fadvise64, __NR_readahead, __NR_preadv2,
	__NR_prctl, __NR_openat2, __NR_getpid, __NR_memfd_create, __NR_ftruncate, __NR_clone, __NR_clone3,
	__NR_unshare, __NR_setsid, __NR_close_range, __NR_statx, __NR_faccessat2, __NR_mincore,
	__NR_pidfd_open};

#define FORBIDDEN (sizeof(forbidden) / sizeof(forbidden[0]))

int main(int argc, char **argv)
{
	char byte;
	struct iovec to = {.iov_base = &byte, .iov_len = 1};
	unsigned int action;

	if (argc < 3)
		return 2;
	action = strcmp(argv[1], "kill") == 0  ? SECCOMP_RET_KILL_PROCESS
		: strcmp(argv[1], "trap") == 0 ? SECCOMP_RET_TRAP
					       : SECCOMP_RET_ERRNO | EPERM;
	if (forbid(forbidden, FORBIDDEN, action) != 0)
		return 2;
	if (strcmp(argv[2], "probe") == 0)
		return syscall(SYS_preadv2, 0, &to, 1, 0L, 0L, RWF_NOWAIT) == 12345;
	execv(argv[2], argv + 2);
	return 2;
}
