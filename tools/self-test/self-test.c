/* SPDX-License-Identifier: MIT */
/*
 * headstart-self-test: starts programs in all ways that libc has, opens libraries, and uses much thread-local storage.
 * It prints the same on every run; `headstart install --system` compares its output without and with the line in
 * /etc/ld.so.preload.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tls.h"

#define THREADS 16

static char *const shell[] = {(char *)"sh", (char *)"-c", (char *)"exit 5", NULL};

static int await(pid_t child)
{
	int status = -1;

	return waitpid(child, &status, 0) == child ? status : -1;
}

static void tell(const char *what, long result)
{
	printf("%s %ld\n", what, result);
	fflush(stdout);
}

static void try_spawning(void)
{
	pid_t child;
	int r = posix_spawn(&child, "/bin/sh", NULL, NULL, shell, environ);

	tell("posix_spawn", r ? r : await(child));
	r = posix_spawnp(&child, "sh", NULL, NULL, shell, environ);
	tell("posix_spawnp", r ? r : await(child));
	tell("posix_spawn of nothing",
		posix_spawn(&child, "/nonexistent/program", NULL, NULL, shell, environ));
	tell("system", system("exit 6"));
	child = vfork();
	if (child == 0) {
		execve("/bin/sh", shell, environ);
		_exit(1);
	}
	tell("vfork and execve", await(child));
}

/* Uses a child for each, since a successful exec does not return. */
static void try_executing(void)
{
	static const char *const names[] = {
		"execv", "execvp", "execvpe", "execl", "execlp", "fexecve", "execve of nothing"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		pid_t child = fork();

		if (child == 0) {
			if (i == 0)
				execv("/bin/sh", shell);
			else if (i == 1)
				execvp("sh", shell);
			else if (i == 2)
				execvpe("sh", shell, environ);
			else if (i == 3)
				execl("/bin/sh", "sh", "-c", "exit $1", "sh", "7", NULL);
			else if (i == 4)
				execlp("sh", "sh", "-c", "exit $1", "sh", "8", NULL);
			else if (i == 5)
				fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), shell, environ);
			else
				execve("/nonexistent/program", shell, environ);
			_exit(errno);
		}
		tell(names[i], await(child));
	}
}

static void try_libraries(void)
{
	double (*cosine)(double) = NULL;
	void *library = dlopen("libm.so.6", RTLD_NOW);

	if (library)
		*(void **)&cosine = dlsym(library, "cos");
	tell("dlopen", library != NULL);
	tell("dlsym", cosine ? (long)cosine(0) : -1);
	tell("dlclose", library ? dlclose(library) : -1);
	tell("dlopen of nothing", dlopen("libheadstart-nonexistent.so", RTLD_NOW) != NULL);
	tell("dlerror", dlerror() != NULL);
	/* By this program's own RUNPATH. */
	tell("dlopen by RUNPATH", dlopen("libheadstart-self-test.so", RTLD_NOW | RTLD_NOLOAD) != NULL);
	library = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
	tell("dlmopen", library != NULL);
	tell("dlclose", library ? dlclose(library) : -1);
}

static void *run_thread(void *sum)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);

	*(unsigned long *)sum = tls_touch();
	if (library)
		dlclose(library);
	return NULL;
}

static void try_threads(void)
{
	pthread_t threads[THREADS];
	unsigned long sums[THREADS] = {0}, total = 0;
	int started = 0;

	while (started < THREADS && pthread_create(&threads[started], NULL, run_thread, &sums[started]) == 0)
		started++;
	for (int i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
		total += sums[i];
	}
	tell("threads", started);
	tell("thread-local storage", (long)(total + tls_touch()));
}

int main(int argc, char **argv)
{
	tell("arguments", argc);
	tell("LD_PRELOAD", getenv("LD_PRELOAD") != NULL);
	try_threads();
	try_libraries();
	try_spawning();
	try_executing();
	tell("children left", waitpid(-1, NULL, WNOHANG) < 0 ? 0 : 1);
	tell("next descriptor", open("/dev/null", O_RDONLY | O_CLOEXEC));
	return 0;
}
