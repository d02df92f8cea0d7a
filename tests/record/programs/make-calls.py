#!/usr/bin/env python3
"""Writes a C++ program of many functions, which notes its own first calls by -finstrument-functions, and a library.

    make-calls.py FOLDER [FUNCTIONS]

main() has them called by threads that take turns, by a library that it opens, by a child, and by itself, executed anew after
vfork(). Every process writes into one list, $CALLS_LOG, so that there is one order of all first calls.
"""
import random
import sys

folder, total = sys.argv[1], int((sys.argv + ["5000"])[2])
chance = random.Random(15)
files, library = 5, 200

LOG = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#define QUIET __attribute__((no_instrument_function))
struct list { atomic_uint n; uint32_t gap; uint32_t calls[2][65536]; atomic_uchar seen[2][1 << 22]; };
extern char __executable_start, etext;
static struct list *list;
QUIET void __cyg_profile_func_enter(void *function, void *caller);
QUIET void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller)
{
	char *at = function;
	int which = at < &__executable_start || at >= &etext;
	static char *library;
	Dl_info info;
	uint32_t offset;

	if (!list) {
		int fd = open(getenv("CALLS_LOG"), O_RDWR);
		list = mmap(0, sizeof(*list), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (which && !library && dladdr(function, &info))
		library = info.dli_fbase;
	offset = (uint32_t)(at - (which ? library : &__executable_start));
	if (atomic_exchange(&list->seen[which][offset], 1))
		return;
	unsigned n = atomic_fetch_add(&list->n, 1);
	list->calls[0][n] = which;
	list->calls[1][n] = offset;
}
void __cyg_profile_func_exit(void *function, void *caller) { }
"""

MAIN = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "all.h"
static const struct turn { int thread; int (*function)(int); } turns[] = {
TURNS
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static size_t now, last;
static int sum;
static void *take_turns(void *which)
{
	pthread_mutex_lock(&mutex);
	while (now < last) {
		if (turns[now].thread != *(int *)which) {
			pthread_cond_wait(&next, &mutex);
			continue;
		}
		sum += turns[now++].function(sum);
		pthread_cond_broadcast(&next);
	}
	pthread_mutex_unlock(&mutex);
	return 0;
}
static void run(size_t from, size_t to)
{
	pthread_t threads[4];
	int which[4];
	now = from, last = to;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, take_turns, &(which[i] = i));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
}
static void child(size_t from, size_t to)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		run(from, to);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
		_exit(3);
}
static void again(char **argv)
{
	const char *arguments[] = {argv[0], "again", 0};
	int status;
	pid_t pid = vfork();
	if (pid == 0) {
		f0(1);
		execv("/proc/self/exe", (char **)arguments);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		_exit(4);
}
int main(int argc, char **argv)
{
	size_t n = sizeof(turns) / sizeof(*turns), fifth = n / 5;
	void *opened;
	if (argc > 1 && !strcmp(argv[1], "again"))
		return run(4 * fifth, n), sum == 42;
	run(0, fifth);
	child(fifth - 50, 2 * fifth);
	again(argv);
	opened = dlopen(argv[argc - 1], RTLD_NOW);
	if (!opened)
		return 5;
	sum += ((int (*)(int))dlsym(opened, "library"))(sum);
	child(2 * fifth - 50, 3 * fifth);
	run(3 * fifth - 50, 4 * fifth);
	if (argc > 2)
		raise(atoi(argv[1]));
	return sum == 42;
}
"""


def body(number, names, depth):
    lines = ["\tint y = x * %d + 1;" % (number | 1)]
    for name in names:
        lines.append(f"\tif (depth > 0)\n\t\ty ^= {name}(y, depth - 1);")
    return "\n".join(lines) + "\n\treturn y;\n"


def callees(number, low, high):
    return [f"g{chance.randrange(low, high)}" for _ in range(chance.randrange(0, 3))]


header, sources = ["#pragma once"], [['#include "all.h"'] for _ in range(files)]
for number in range(total):
    source, kind = sources[number % files], number % 4
    inside = body(number, callees(number, 0, total), 2)
    header.append(f"int g{number}(int x, int depth = 2);\nint f{number}(int x);")
    if kind == 0:
        source.append(f"template <int N> int t{number}(int x, int depth)\n{{\n{inside}}}\n"
                      f"int g{number}(int x, int depth) {{ return t{number}<{number}>(x, depth); }}")
    elif kind == 1:
        source.append(f"static int helper{number // files}(int x, int depth)\n{{\n{inside}}}\n"
                      f"int g{number}(int x, int depth) {{ return helper{number // files}(x, depth); }}")
    elif kind == 2:
        source.append(f"struct C{number} {{ int v; int m(int x, int depth); }};\n"
                      f"int C{number}::m(int x, int depth)\n{{\n\tx += v;\n{inside}}}\n"
                      f"int g{number}(int x, int depth) {{ return C{number}{{x}}.m(x, depth); }}")
    else:
        source.append(f"int g{number}(int x, int depth)\n{{\n{inside}}}")
    source.append(f"int f{number}(int x) {{ return g{number}(x); }}")
turns = [f"\t{{{chance.randrange(4)}, f{chance.randrange(total)}}}," for _ in range(total // 2)]
opened = ["int g0(int x, int depth);"]
for number in range(library):
    opened.append(f"static int l{number}(int x, int depth)\n{{\n"
                  + body(number, [f"l{chance.randrange(number)}" for _ in range(2)] if number else [], 3) + "}")
opened.append('extern "C" int library(int x)\n{\n'
              + "".join(f"\tx += l{chance.randrange(library)}(x, 3);\n" for _ in range(20)) + "\treturn x;\n}")
open(f"{folder}/log.c", "w").write(LOG)
open(f"{folder}/all.h", "w").write("\n".join(header) + "\n")
open(f"{folder}/main.cc", "w").write(MAIN.replace("TURNS", "\n".join(turns)))
open(f"{folder}/library.cc", "w").write("\n".join(opened) + "\n")
for number, source in enumerate(sources):
    open(f"{folder}/part{number}.cc", "w").write("\n".join(source) + "\n")
