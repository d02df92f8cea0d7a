/* SPDX-License-Identifier: MIT */
/*
 * libraries CALLER SCRIPT: opens libraries in all ways in which the caller matters, and prints the results; then does
 * so with many threads at once. SCRIPT is a program without "#!".
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 64
#define ROUNDS  50

#define SEARCHES 600

typedef void *opener(const char *);
typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
	const posix_spawnattr_t *, char *const[], char *const[]);

static void say_library(const char *what, void *library)
{
	struct link_map *map = NULL;
	Lmid_t namespace = -1;

	if (!library) {
		printf("%s: %s\n", what, dlerror());
		return;
	}
	dlinfo(library, RTLD_DI_LINKMAP, &map);
	dlinfo(library, RTLD_DI_LMID, &namespace);
	printf("%s: %s in %s\n", what, map && map->l_name[0] ? map->l_name : "the program",
		namespace == LM_ID_BASE ? "ours" : "another namespace");
}

static void say_spawn(const char *what, spawn_function *spawn, char *script)
{
	char *argv[] = {script, NULL};
	int status = 0, error;
	pid_t child;

	if (!spawn) {
		printf("%s: none\n", what);
		return;
	}
	error = spawn(&child, script, NULL, NULL, argv, environ);
	if (error == 0)
		waitpid(child, &status, 0);
	printf("%s: %s, status %x\n", what, error ? strerrorname_np(error) : "runs", status);
}

static void *open_and_close(void *path)
{
	for (int i = 0; i < ROUNDS; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		if (!library || !dlsym(library, "open_from_library") || dlclose(library) != 0)
			return NULL;
	}
	return path;
}

static void open_in_threads(char *path)
{
	pthread_t threads[THREADS];
	int good = 0;
	void *result;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, open_and_close, path) != 0)
			abort();
	for (int i = 0; i < THREADS; i++)
		good += pthread_join(threads[i], &result) == 0 && result == path;
	printf("threads: %d\n", good);
}

static volatile int searched;

static void *open_and_close_until_searched(void *path)
{
	while (!searched) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		if (!library || dlclose(library) != 0)
			return NULL;
	}
	return path;
}

/* A library comes and goes, and is loaded by nobody else, while a program is searched for by name. */
static void search_beside_a_thread(char *path)
{
	char *argv[] = {(char *)"true", NULL};
	pthread_t thread;
	int good = 0;

	if (pthread_create(&thread, NULL, open_and_close_until_searched, path) != 0)
		abort();
	for (int i = 0; i < SEARCHES; i++) {
		int status = -1;
		pid_t child;

		if (posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) == 0)
			waitpid(child, &status, 0);
		good += status == 0;
	}
	searched = 1;
	pthread_join(thread, NULL);
	printf("searched: %d\n", good);
}

int main(int argc, char **argv)
{
	opener *open_from_library;
	void *caller, *apart;

	if (argc < 3)
		return 2;
	open_in_threads(argv[1]);
	search_beside_a_thread(argv[1]);
	caller = dlopen(argv[1], RTLD_NOW);
	say_library("by path", caller);
	open_from_library = caller ? (opener *)dlsym(caller, "open_from_library") : NULL;
	if (!open_from_library)
		return 1;
	say_library("by the caller's RUNPATH", open_from_library("libfound.so"));
	say_library("by ours", dlopen("libfound.so", RTLD_NOW));
	say_library("by our $ORIGIN", dlopen("$ORIGIN/private/libfound.so", RTLD_NOW | RTLD_NOLOAD));
	say_library("the program", dlopen(NULL, RTLD_NOW));
	say_library("nothing by path", dlopen("/nonexistent/library", RTLD_NOW));
	say_library("nothing by name", dlopen("libnonexistent.so", RTLD_NOW));
	say_library("a folder", dlopen("/", RTLD_NOW));
	say_library("no flags", dlopen(argv[1], 0));
	apart = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
	say_library("apart", apart);
	open_from_library = apart ? (opener *)dlsym(apart, "open_from_library") : NULL;
	if (open_from_library)
		say_library("from apart", open_from_library("libfound.so"));
	say_library("apart, nothing", dlmopen(LM_ID_NEWLM, "/nonexistent/library", RTLD_NOW));
	say_spawn("posix_spawn", posix_spawn, argv[2]);
	say_spawn("the old posix_spawn", (spawn_function *)dlvsym(RTLD_DEFAULT, "posix_spawn", "GLIBC_2.2.5"),
		argv[2]);
	printf("no such version: %s\n", dlvsym(RTLD_DEFAULT, "execve", "GLIBC_9.9") ? "found" : "not found");
	open_in_threads(argv[1]);
	return fflush(stdout) == 0 ? 0 : 1;
}
