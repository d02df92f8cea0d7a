/* SPDX-License-Identifier: MIT */
/* Descriptors 0 to 2, which whoever starts us may have closed. */
#pragma once

#include <stdbool.h>

/*
 * Occupies those of them that are closed. Otherwise a file that we open gets such a number, and what we print goes into it.
 * What is written there is lost: silently with `discard`, else with EBADF, as before. The next program that is executed finds
 * them closed, as we did.
 */
void standard_streams_hold(bool discard);
