/* SPDX-License-Identifier: MIT */
/* What notices that stored bytes have changed, and spreads strings over a table. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits (xxHash 0.8). */
uint64_t checksum64(const void *data, size_t size);
