/* SPDX-License-Identifier: MIT */
/*
 * wild-environment WHAT WAY PROGRAM: makes environ invalid, as WHAT says, and executes PROGRAM by a function WAY that
 * takes no environment. "list": environ itself points to unmapped memory; "string": one of its strings does; "end":
 * the list runs into such memory. Exits with 7 if the function fails with EFAULT, as the kernel would. Every other
 * status differs from PROGRAM's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char **bad_environment(const char *what)
{
	static char variable[] = "NAME=value", *strings[3] = {variable};
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = page / sizeof(char *);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char **list = (char **)memory;

	if (memory == MAP_FAILED || munmap(memory + page, page) != 0)
		return NULL;
	if (strcmp(what, "list") == 0)
		return (char **)(memory + page);
	if (strcmp(what, "string") == 0) {
		strings[1] = memory + page;
		return strings;
	}
	for (size_t i = 0; i < n; i++)
		list[i] = variable;
	return strcmp(what, "end") == 0 ? list + n - 3 : NULL;
}

static int execute(const char *way, char *program)
{
	char *const arguments[] = {program, NULL};

	if (strcmp(way, "execv") == 0)
		return execv(program, arguments);
	if (strcmp(way, "execvp") == 0)
		return execvp(program, arguments);
	if (strcmp(way, "execl") == 0)
		return execl(program, program, (char *)NULL);
	if (strcmp(way, "execlp") == 0)
		return execlp(program, program, (char *)NULL);
	errno = ENOTSUP;
	return -1;
}

int main(int argc, char **argv)
{
	char **kept = environ;
	int error;

	if (argc != 4)
		return 2;
	environ = bad_environment(argv[1]);
	if (!environ)
		return 2;
	execute(argv[2], argv[3]);
	error = errno;
	environ = kept; /* perror() would read the environment to find the language */
	if (error == EFAULT)
		return 7;
	errno = error;
	perror(argv[2]);
	return 3;
}
