/* SPDX-License-Identifier: MIT */
/* The library is built with -ftls-model=initial-exec. */
#include "tls.h"

static _Thread_local unsigned char storage[TLS_SIZE];

__attribute__((visibility("default"))) unsigned long tls_touch(void)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < TLS_SIZE; i++)
		sum += ++storage[i];
	return sum;
}
