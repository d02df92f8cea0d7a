/* SPDX-License-Identifier: MIT */
/* What notices that stored bytes have changed, and what spreads keys over a table. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits (xxHash 0.8). */
uint64_t checksum64(const void *data, size_t size);

/*
 * The same with a seed that each process has of its own: nobody can choose keys that all lie in one place of a table. So it is only good
 * within the process, and what it has forked.
 */
uint64_t hash64(const void *data, size_t size);
