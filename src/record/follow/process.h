/* SPDX-License-Identifier: MIT */
/* A followed process, and what its page tables show. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/follow/pages/exact-faults.h"
#include "record/follow/pages/page-tables.h"
#include "record/follow/pages/touched.h"

/* Code of an object whose functions are recorded (objects.h), where it is mapped. */
struct process_code {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* bytes, in the file */
	size_t object;       /* index */
};

struct follow_process {
	int32_t pid;
	unsigned threads;          /* that we follow */
	unsigned exiting;          /* of them, those that are about to end */
	int pagemap;               /* owned; of the memory that it has now; -1: not opened yet */
	int pidfd;                 /* owned; -1: the kernel has none */
	bool shares_memory;        /* with its parent, until it executes a program: that one is looked at */
	bool shares_files;         /* its descriptors, likewise */
	bool foreign;              /* its root or its mount namespace may be another than ours */
	bool unseen;               /* we may not look into it */
	int memory;                /* owned; that it has now, for breakpoints; -1: not opened yet */
	bool unplanted;            /* some of its code has no breakpoints, since we may not write there */
	bool closed;               /* and none is to be put there any more */
	struct process_code *code; /* owned; with breakpoints; may miss what was inherited */
	size_t n_code, code_capacity;
	struct exact_faults exact;
	char *executing; /* owned; the path of its last execve, absolute; NULL: none since the last program began */
};

struct follow_process *follow_process_new(int32_t pid);
void follow_process_free(struct follow_process *process);

/* Whether all of its threads have ended. */
bool follow_process_has_ended(const struct follow_process *process);

/*
 * Reads the memory of one of its threads. `present`: only of pages that its page tables have, since another page may have
 * to come from a followed process that serves a file system, or this memory. Returns how much could be read.
 */
size_t follow_process_read(
	struct follow_process *process, int32_t tid, uint64_t address, void *to, size_t size, bool present);

/* It is going to serve pages of its memory by a userfaultfd of its own. */
static inline void follow_process_serves_memory(struct touched *touched, struct follow_process *process)
{
	touched->serves_memory = true;
	exact_faults_end(&process->exact);
}

/* Another program runs in it now. */
void follow_process_renew(struct follow_process *process);

/*
 * The file of a mapping, with O_PATH, if it can be looked at. A name may lead elsewhere by now. Returns a descriptor, or
 * negative errno.
 */
int follow_process_open(
	struct touched *touched, const struct follow_process *process, const struct page_mapping *mapping);

/* Finds the file of a mapping, or adds it. *ret may be TOUCHED_NONE. Returns 0 or -ENOMEM. */
int follow_process_find_file(struct touched *touched, const struct follow_process *process,
	const struct page_mapping *mapping, size_t *ret);

/*
 * Notes the pages of files that its page tables have in these addresses: file by file, in the order in which these were
 * first seen. Returns 0 or -ENOMEM.
 */
int follow_process_look(
	struct touched *touched, struct follow_process *process, uint64_t start, uint64_t end);

/*
 * From now on page tables tell exactly what is touched of the files of disks that are mapped, as far as that can be; or of what was mapped
 * last, at this address, and of the other parts of the same library, which lie before it. Return 0 or -ENOMEM.
 */
int follow_process_make_exact(struct touched *touched, struct follow_process *process);
int follow_process_make_exact_at(struct touched *touched, struct follow_process *process, uint64_t address);
