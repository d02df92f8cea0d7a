/* SPDX-License-Identifier: MIT */
/*
 * A program or shared library with everything that a relayout may meet: thousands of pointers, functions over many
 * pages, TLS, an IFUNC, zero-filled memory, constants, pointers into libc. When it is run, it adds up all of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define TEN(what, n)                                                                                         \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n)                                                                                     \
	TEN(what, n##0) TEN(what, n##1) TEN(what, n##2) TEN(what, n##3) TEN(what, n##4) TEN(what, n##5)      \
		TEN(what, n##6) TEN(what, n##7) TEN(what, n##8) TEN(what, n##9)
#ifdef SMALL
#define MANY(what) TEN(what, 1) TEN(what, 2)
#define A_LOT      10u
#define SPARSE     4
#else
#define MANY(what)                                                                                           \
	HUNDRED(what, 1) HUNDRED(what, 2) HUNDRED(what, 3) HUNDRED(what, 4) HUNDRED(what, 5) HUNDRED(what, 6) \
		HUNDRED(what, 7) HUNDRED(what, 8) HUNDRED(what, 9)
#define A_LOT  1000u
#define SPARSE 64
#endif
/* clang-format on */

#define FUNCTION(n)                                                                                          \
	__attribute__((noinline)) static uint64_t function_##n(uint64_t x)                                   \
	{                                                                                                    \
		return (x ^ n) * (2 * n + 1) + (x >> (n % 31));                                              \
	}
MANY(FUNCTION)

#define POINTER(n) function_##n,
static uint64_t (*const functions[])(uint64_t) = {MANY(POINTER)};

#define STRING(n) "string " #n,
static const char *strings[] = {MANY(STRING)};

/* More than one page, far from the others: relocations in several places. */
static struct {
	const char *name;
	uint64_t numbers[40];
} sparse[SPARSE] = {[0 ... SPARSE - 1] = {.name = "sparse"}};

static const uint8_t constants[20 * A_LOT] = {1, 2, 3, [10 * A_LOT] = 4, [20 * A_LOT - 1] = 5};
static uint8_t zeros[50 * A_LOT];
static __thread uint64_t counter = 42;
static void *(*const from_libc[])(size_t) = {malloc};

static uint64_t two(void)
{
	return 2;
}

static uint64_t (*resolve(void))(void)
{
	return two;
}

uint64_t chosen(void) __attribute__((ifunc("resolve")));

uint64_t sample_sum(void)
{
	uint64_t sum = chosen() + counter++;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		sum = functions[i](sum);
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		sum = sum * 31 + strlen(strings[i]) + (uint8_t)strings[i][7];
	for (size_t i = 0; i < sizeof(constants); i++)
		sum += constants[i] * i;
	for (size_t i = 0; i < sizeof(zeros); i++)
		sum += zeros[i]++;
	for (size_t i = 0; i < SPARSE; i++)
		sum += (uint8_t)sparse[i].name[i % 6] + sparse[i].numbers[i % 40]++;
	free(from_libc[0](16));
	return sum;
}

int main(void)
{
	printf("%llx\n", (unsigned long long)sample_sum());
	return 0;
}
