/* SPDX-License-Identifier: MIT */
/* The functions that the preload shim hooks, for depth.c: they return at once. */
#define STUB(name)                                                                                           \
	__attribute__((visibility("default"))) long name(void);                                              \
	long name(void)                                                                                      \
	{                                                                                                    \
		return 0;                                                                                    \
	}

STUB(dlopen)
STUB(dlmopen)
STUB(execve)
STUB(execv)
STUB(execvp)
STUB(execvpe)
STUB(execl)
STUB(execlp)
STUB(execle)
STUB(fexecve)
STUB(execveat)
STUB(posix_spawn)
STUB(posix_spawnp)
