/* SPDX-License-Identifier: MIT */
/*
 * depth WAY PATH: paints a stack, calls the function that WAY names with PATH on it, and prints how many bytes were
 * written below the caller's frame. The functions must be those of stubs.c, which return at once, so that only the
 * shim's hooks are measured.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE 65536 /* bytes */
#define PAINT      0xa5

static _Alignas(64) unsigned char stack[STACK_SIZE];
static unsigned char *frame;
static const char *path;
static char name[] = "program", *arguments[] = {name, NULL};
static int folder = -1, file = -1;
static const char *base;

/* Notes the frame of the caller: the words that a call itself needs count as well. */
#define CALL(name, call)                                                                                     \
	static void call_##name(void)                                                                        \
	{                                                                                                    \
		frame = __builtin_frame_address(0);                                                          \
		(void)!(call);                                                                               \
	}

CALL(nothing, getppid())
CALL(dlopen, dlopen(path, RTLD_NOW))
CALL(dlmopen, dlmopen(LM_ID_BASE, path, RTLD_NOW))
CALL(execve, execve(path, arguments, environ))
CALL(execv, execv(path, arguments))
CALL(execvp, execvp(path, arguments))
CALL(execvp_searched, execvp(base, arguments))
CALL(execvpe, execvpe(path, arguments, environ))
CALL(execvpe_searched, execvpe(base, arguments, environ))
CALL(execl, execl(path, "program", (char *)NULL))
CALL(execlp, execlp(path, "program", (char *)NULL))
CALL(execlp_searched, execlp(base, "program", (char *)NULL))
CALL(execle, execle(path, "program", (char *)NULL, environ))
CALL(fexecve, fexecve(file, arguments, environ))
CALL(execveat, execveat(folder, base, arguments, environ, 0))
CALL(posix_spawn, posix_spawn(NULL, path, NULL, NULL, arguments, environ))
CALL(posix_spawnp, posix_spawnp(NULL, path, NULL, NULL, arguments, environ))
CALL(posix_spawnp_searched, posix_spawnp(NULL, base, NULL, NULL, arguments, environ))

#define WAY(name)                                                                                            \
	{                                                                                                    \
#name, call_##name                                                                           \
	}

static const struct {
	const char *name;
	void (*call)(void);
} ways[] = {WAY(nothing), WAY(dlopen), WAY(dlmopen), WAY(execve), WAY(execv), WAY(execvp),
	WAY(execvp_searched), WAY(execvpe), WAY(execvpe_searched), WAY(execl), WAY(execlp),
	WAY(execlp_searched), WAY(execle), WAY(fexecve), WAY(execveat), WAY(posix_spawn), WAY(posix_spawnp),
	WAY(posix_spawnp_searched)};

static ptrdiff_t depth_of(void (*call)(void))
{
	static ucontext_t here, there;
	size_t lowest = 0;

	memset(stack, PAINT, sizeof(stack));
	getcontext(&there);
	there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof(stack)};
	there.uc_link = &here;
	makecontext(&there, call, 0);
	swapcontext(&here, &there);
	while (lowest < sizeof(stack) && stack[lowest] == PAINT)
		lowest++;
	return frame - &stack[lowest];
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	path = argv[2];
	base = basename(strdup(path));
	folder = open(dirname(strdup(path)), O_PATH | O_CLOEXEC);
	file = open(path, O_PATH | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			printf("%td\n", depth_of(ways[i].call));
			return fflush(stdout) == 0 ? 0 : 2;
		}
	return 2;
}
