/* SPDX-License-Identifier: MIT */
/*
 * A library of the size where whole mode counts: 32768 relocations, so a relocation table of three quarters
 * of a megabyte; and FILLER bytes between that and the data, so that no disk's read-ahead brings one with the
 * other. The program `look` has one in itself. OBJECT is the name of its only function.
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
