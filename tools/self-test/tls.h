/* SPDX-License-Identifier: MIT */
/* A library with more thread-local storage of the initial-exec model than ld.so keeps in reserve. */
#pragma once

#define TLS_SIZE (64u << 10) /* bytes */

/* Adds one to each byte of this thread's storage. Returns the sum of them, which begins at 0. */
unsigned long tls_touch(void);
