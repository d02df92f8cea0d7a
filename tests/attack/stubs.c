/* SPDX-License-Identifier: MIT */
/* What stands behind the preload shim where depth.c measures it: the functions that it hooks, which return at once. */
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
