/* SPDX-License-Identifier: MIT */
/*
 * The library half of what is relaid and run: functions that throw, thread-local variables, an IFUNC, a constructor,
 * relative relocations, much that is not touched. bulk.inc is generated: 400 functions f0 to f399 and their table.
 */
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bulk.inc"

thread_local int tls_counter = 40;
thread_local long tls_zero[300];
static int constructed = 0;
char big_bss[300000];
static const char *const words[] = {"alpha", "beta", "gamma", "delta"};

__attribute__((constructor)) static void construct()
{
	constructed = 17;
}

#ifndef NO_IFUNC
extern "C" {
static int chosen_fast(int x)
{
	return x * 3;
}

static int (*resolve_chosen())(int)
{
	return chosen_fast;
}

int chosen(int x) __attribute__((ifunc("resolve_chosen")));
}
#else
extern "C" int chosen(int x)
{
	return x * 3;
}
#endif

extern "C" __attribute__((noinline)) int throws_at(int depth)
{
	if (depth == 0)
		throw std::runtime_error("thrown in the library");
	return throws_at(depth - 1) + 1;
}

extern "C" uint64_t bulk_sum()
{
	uint64_t sum = 0;

	for (int i = 0; i < BULK; i++)
		sum = sum * 31 + bulk_table[i](i);
	return sum;
}

extern "C" std::string *library_state()
{
	long zeros = 0;

	tls_counter++;
	for (long z : tls_zero)
		zeros += z;
	for (char c : big_bss)
		zeros += c;
	big_bss[sizeof(big_bss) - 1] = 1;
	big_bss[sizeof(big_bss) - 1] = 0;
	return new std::string(std::string(words[tls_counter % 4]) + " tls " + std::to_string(tls_counter) +
			       " constructed " + std::to_string(constructed) + " zeros " + std::to_string(zeros) +
			       " chosen " + std::to_string(chosen(14)));
}
