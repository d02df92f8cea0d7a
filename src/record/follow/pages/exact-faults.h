/* SPDX-License-Identifier: MIT */
/*
 * Makes the page tables of a followed process exact. When it touches a page of a file, the kernel also maps what else of the 64 KiB around
 * it is in memory (fault-around), and the page table does not tell these apart. In memory that is registered with userfaultfd(2) the
 * kernel maps each page by itself. From Linux 6.7 on, mappings of files can be registered for asynchronous write protection
 * (Documentation/admin-guide/mm/userfaultfd.rst), and no page is protected. Memory is unregistered before the process does what the kernel would
 * refuse there: move several mappings at once (mremap(2)), or register it with a userfaultfd of its own.
 *
 * A process can make a userfaultfd only of its own memory. So its first call that stops for us becomes one that makes it; we take that
 * over, and the process closes it. Then it makes its call anew. No signal comes between. Left alone is a process with several threads, since
 * these could see the descriptor or hand it on, and one with other filters than ours, which might end it for such a call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "record/follow/pages/ranges.h"

enum exact_step {
	EXACT_UNTRIED,
	EXACT_MAKES,  /* a call of the thread makes it */
	EXACT_CLOSES, /* another one closes it there */
	EXACT_TRIED,
};

/* Of a process, for the memory that it has now. Begins as EXACT_FAULTS_INIT. */
struct exact_faults {
	enum exact_step step;
	int fd;                            /* owned: the userfaultfd; -1: there is none */
	pid_t tid;                         /* the thread that makes calls of ours */
	struct user_regs_struct registers; /* of its own call, which waits */
	uint64_t signals;                  /* that it had blocked */
	struct ranges registered;          /* owned */
};

#define EXACT_FAULTS_INIT                                                                                    \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

void exact_faults_release(struct exact_faults *exact);

/* Whether the kernel and the processor can do it. */
bool exact_faults_possible(void);

/*
 * The thread is stopped by the filter at a call of this architecture (AUDIT_ARCH_…). Returns whether a call of ours takes its place: then
 * the thread is to go on to its next stop (PTRACE_SYSCALL), and the same call stops again later. No other process may share its descriptors.
 */
bool exact_faults_begin(struct exact_faults *exact, pid_t tid, uint32_t arch);

/* Whether the thread makes calls of ours: it may go on by PTRACE_SYSCALL alone. */
bool exact_faults_busy(const struct exact_faults *exact, pid_t tid);

/* It has stopped at the beginning or the end of one; `pidfd` is its process. Returns whether more stops are to come. */
bool exact_faults_step(struct exact_faults *exact, int pidfd);

/* Whole pages, mapped from one file. From now on each page is mapped there by itself, unless the kernel refuses that. */
void exact_faults_register(struct exact_faults *exact, uint64_t start, uint64_t end);

/* What is mapped there is not registered any more. Returns whether any of it was. */
bool exact_faults_unregister(struct exact_faults *exact, uint64_t start, uint64_t end);

/* The memory is as it would have been, and stays so; calls of ours that are going on come to their end. */
void exact_faults_end(struct exact_faults *exact);

/* Whether all of what is mapped there is registered. */
bool exact_faults_cover(const struct exact_faults *exact, uint64_t start, uint64_t end);
