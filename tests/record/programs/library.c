/* SPDX-License-Identifier: MIT */
/* A library whose one function, NAME, touches some pages of a large table and leaves the rest alone. */
#define TABLE_SIZE (256 << 10)

int NAME(void);

static volatile const char table[TABLE_SIZE] = {1, 2, 3};
static volatile char data[64 << 10] = {1};

__attribute__((visibility("default"))) int NAME(void)
{
	int sum = 0;

	for (int i = 0; i < TABLE_SIZE / 2; i += STEP)
		sum += table[i];
	data[40000] = 1;
	return sum;
}
