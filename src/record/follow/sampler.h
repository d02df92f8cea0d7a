/* SPDX-License-Identifier: MIT */
/*
 * Looks at a process tree again and again through /proc, and so sees most of what it touches: what page tables have, which
 * programs run, which files are open and how far they are read. It stops nobody, needs no more than the right to read
 * /proc of these processes, and everything goes on without it at any moment.
 *
 * What comes and goes between two looks is not seen: processes, mappings, and files that are read and closed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/follow/follow.h"

struct sampler;

struct sampler_options {
	pid_t top;                  /* and everything below it */
	bool below_us;              /* everything below this process, too: orphans of the tree come here */
	struct opens *opens;        /* borrowed until sampler_free() */
	struct record_trace *trace; /* the same */
};

/* Returns 0 or -ENOMEM. */
int sampler_new(const struct sampler_options *options, struct sampler **ret);

/*
 * Adds the program that is about to be executed and its first page, with the rights of the process `tid`. `cold`: takes it,
 * and the libraries that it is certain to load, out of the page cache, as far as nobody uses them. Returns 0 or -ENOMEM.
 */
int sampler_expect(struct sampler *sampler, const char *program, pid_t tid, bool cold);

/* Looks once at all processes. Returns 0 or -ENOMEM. */
int sampler_look(struct sampler *sampler);

/* Milliseconds until the next look is due, so that looking takes only a small part of the time. */
int sampler_pause(const struct sampler *sampler);

void sampler_summarize(const struct sampler *sampler, struct follow_summary *ret);
void sampler_free(struct sampler *sampler);
