/* SPDX-License-Identifier: MIT */
/*
 * A library of a size for which whole mode matters: 32,768 relocations make a relocation table of three quarters of a
 * megabyte. FILLER bytes lie between that and the data, so that no disk's read-ahead reads one with the other. The
 * program `look` contains one too. OBJECT is the name of its only function.
 */
#define POINTERS 32768

static int target = 7;
static int *const volatile table[POINTERS] = {[0 ... POINTERS - 1] = &target};
static const char filler[FILLER];

__attribute__((visibility("default"))) int OBJECT(int at);

int OBJECT(int at)
{
	return *table[at % POINTERS] + at + *(const volatile char *)&filler[at];
}
