/* SPDX-License-Identifier: MIT */
/* Little-endian fields of on-disk structs. Freestanding: shared with the shim. */
#pragma once

#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FORMAT_SWAP(bits, x) ((uint##bits##_t)(x))
#else
#define FORMAT_SWAP(bits, x) ((uint##bits##_t)__builtin_bswap##bits(x))
#endif

/* Host order from a little-endian field; and, being its own inverse, a little-endian field from host order. */
#define LE16(x) FORMAT_SWAP(16, x)
#define LE32(x) FORMAT_SWAP(32, x)
#define LE64(x) FORMAT_SWAP(64, x)
