/* SPDX-License-Identifier: MIT */
/*
 * A library with a pointer in every kind of place. It checks them against addresses that need no relocation. With
 * -DTEXTREL, some lie in a segment that is not writable.
 */
#include <stddef.h>
#include <stdio.h>

#define N 2000

#define FOUR(x)       &values[x], &values[x + 1], &values[x + 2], &values[x + 3]
#define SIXTEEN(x)    FOUR(x), FOUR(x + 4), FOUR(x + 8), FOUR(x + 12)
#define SIXTY_FOUR(x) SIXTEEN(x), SIXTEEN(x + 16), SIXTEEN(x + 32), SIXTEEN(x + 48)

int sample_check(void);

static int values[N];

/* .data.rel.ro, .data, thread-local; between other data. */
static int *const constants[] = {
	SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192), SIXTY_FOUR(256)};
static int *variables[] = {SIXTY_FOUR(300), SIXTY_FOUR(364), SIXTY_FOUR(428), SIXTY_FOUR(492)};
static _Thread_local int *local = &values[7];
static struct {
	long before;
	int *pointer;
	long after;
} sparse[] = {{1, &values[1], 2}, {3, &values[2], 4}, {5, &values[3], 6}};

/* Not aligned: these cannot be packed. */
static struct __attribute__((packed)) {
	char before;
	int *pointer;
} packed[] = {{1, &values[11]}, {2, &values[12]}, {3, &values[13]}};

static int one(void)
{
	return 1;
}

static int two(void)
{
	return 2;
}

static int (*functions[])(void) = {one, two};

/* With an IFUNC, its resolver, and symbols of other objects. */
static int (*resolve(void))(void)
{
	return two;
}

int chosen(void) __attribute__((ifunc("resolve")));
static int (*chosen_pointer)(void) = chosen;
static int (*foreign)(const char *) = puts;
extern int nowhere __attribute__((weak));
static int *missing = &nowhere;

#ifdef TEXTREL
__asm__(".section .rodata\n.balign 8\n.hidden read_only\n.globl read_only\nread_only: .quad constants\n.text");
extern int *const *read_only __attribute__((visibility("hidden")));
#endif

int sample_check(void)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
		if (constants[i] != values + i)
			return 1;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (variables[i] != values + 300 + i)
			return 2;
	for (int i = 0; i < 3; i++)
		if (sparse[i].pointer != values + 1 + i || sparse[i].after != 2 * i + 2)
			return 3;
	for (int i = 0; i < 3; i++)
		if (packed[i].pointer != values + 11 + i || packed[i].before != i + 1)
			return 4;
	if (local != values + 7)
		return 5;
	if (functions[0]() != 1 || functions[1]() != 2)
		return 6;
	if (chosen() != 2 || chosen_pointer() != 2)
		return 7;
	if (foreign != puts || missing)
		return 8;
#ifdef TEXTREL
	if (read_only != constants)
		return 9;
#endif
	return 0;
}
