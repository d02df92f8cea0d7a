/* SPDX-License-Identifier: MIT */
/*
 * What a compacted file has to go on doing: exceptions, thread-local storage, IFUNC, constructors, data of all
 * kinds; over so many pages that some can be hot and some cold. As a program (-DPROGRAM) it does its part, then
 * has the library that it is given do the same, and prints what came out.
 */
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#ifdef PROGRAM
#include <dlfcn.h>
#endif

#ifndef FUNCTIONS
#define FUNCTIONS 300
#endif

thread_local int in_thread = 7;
thread_local int in_thread_zero;
static std::string constructed("constructed");

extern "C" {
static int chosen(void)
{
	return 11;
}
static int (*choose(void))(void)
{
	return chosen;
}
int by_ifunc(void) __attribute__((ifunc("choose")));
}

/* On a page of its own each: places for cuts. */
template <int N> struct constants {
	alignas(4096) static const unsigned char bytes[4096];
	alignas(4096) static unsigned char variables[4096];
};
template <int N> const unsigned char constants<N>::bytes[4096] = {N & 255, 1, 2, 3};
template <int N> unsigned char constants<N>::variables[4096] = {(N * 3) & 255, 5};

/* Some begin on a page, some do not; each knows its name by a pointer that has to be relocated. */
template <int N> __attribute__((noinline, aligned(N % 3 == 0 ? 4096 : 16))) long step(int a)
{
	static const char *const names[] = {"zero", "one", "two", "three"};
	std::string text(names[a & 3]);

	in_thread += N;
	in_thread_zero++;
	constants<N>::variables[a & 7]++;
	if (a % 97 == N % 97)
		throw std::runtime_error(text + std::to_string(N));
	return (long)text.size() + constants<N>::bytes[a & 7] + constants<N>::variables[a & 3] + a * N;
}

template <int N> struct steps {
	static long run(int a)
	{
		long sum;

		try {
			sum = step<N>(a);
		} catch (const std::runtime_error &error) {
			sum = -1000 - (long)strlen(error.what());
		}
		return sum + steps<N - 1>::run(a + 1);
	}
};

template <> struct steps<0> {
	static long run(int)
	{
		return in_thread + in_thread_zero + by_ifunc() + (long)constructed.size();
	}
};

extern "C" long run_steps(void)
{
	return steps<FUNCTIONS>::run(1);
}

#ifdef PROGRAM
int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
	long (*run)(void) = library ? (long (*)(void))dlsym(library, "run_steps") : nullptr;

	printf("%ld\n", run_steps());
	if (argc > 1 && !run)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	if (run)
		printf("%ld\n", run());
	return 0;
}
#endif
