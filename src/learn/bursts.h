/* SPDX-License-Identifier: MIT */
/*
 * A program that is executed again and again, as by make or a loop of a shell, is in memory: to look at it costs the processor that it
 * wants, and shows nothing new. So of the starts of one name only some are looked at in each second.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BURST_LOOKS 16u  /* in a second */
#define BURST_NAMES 256u /* that are known at once: a power of two */

struct bursts {
	struct {
		uint64_t name; /* its hash */
		uint64_t second;
		unsigned looks;
	} names[BURST_NAMES];
};

/* Whether the start of a program by this name, at this time in milliseconds, is to be looked at. It counts as looked at then. */
bool bursts_look(struct bursts *bursts, const char *name, uint64_t now_ms);
