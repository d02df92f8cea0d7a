/* SPDX-License-Identifier: MIT */
/*
 * The seccomp filter of a followed start: it stops a thread for its tracer at the few system calls that say which files
 * and pages are touched, and lets all others pass at full speed.
 *
 * The filter stays with the processes to their end. Without a tracer these calls fail with ENOSYS, so whoever has
 * followed a start must stay until it has ended.
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>

/* What a call means: the data of SECCOMP_RET_TRACE. The same for 64-bit and 32-bit programs. */
enum follow_call {
	FOLLOW_OPEN = 1,   /* (path, flags) */
	FOLLOW_OPENAT,     /* (folder, path, flags) */
	FOLLOW_OPENAT2,    /* (folder, path, how) */
	FOLLOW_EXEC,       /* (path) */
	FOLLOW_EXECAT,     /* (folder, path, argv, envp, flags) */
	FOLLOW_UNMAP,      /* (address, length): what is mapped there goes away */
	FOLLOW_MOVE,       /* the same: it may move, and goes on where the call says */
	FOLLOW_FAULTS,     /* the program handles page faults itself (userfaultfd) */
	FOLLOW_READ,       /* (fd, buffer, size) */
	FOLLOW_PREAD,      /* (fd, buffer, size, offset) */
	FOLLOW_READV,      /* (fd, vectors, count) */
	FOLLOW_PREADV,     /* (fd, vectors, count, offset) */
	FOLLOW_SENDFILE,   /* (to, from, address of an offset, size) */
	FOLLOW_SENDFILE32, /* the same with an offset of 32 bits */
	FOLLOW_COPY,       /* (from, address of an offset, to, address, size) */
	FOLLOW_PTRACE,     /* the program wants to trace */
	FOLLOW_ROOT,       /* its root or its mounts may change */
	FOLLOW_URING,      /* what it reads through io_uring is not seen */
	FOLLOW_MAP,        /* (address, length, protection, flags): a file is mapped */
	FOLLOW_HIDE,       /* (PR_SET_DUMPABLE, whether): its memory may be closed to us */
};

/*
 * The program for seccomp(2); NULL on a processor that it was not written for. It lasts as long as this process. If functions are recorded
 * it has the last two calls, of files that are mapped to be executed; or of all files, if page tables are to be `exact` (pages/exact-faults.h). Of the
 * parts of a library that ld.so maps, the last one stops then.
 */
const struct sock_fprog *follow_filter(bool functions, bool exact);
