/* SPDX-License-Identifier: MIT */
/*
 * The files that followed processes open and map, and which of their pages have been touched: each page becomes an event
 * of the trace when it is first seen. A file that is to be cold is taken out of the page cache at its first sight,
 * before the start can touch it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/inode-map.h"
#include "record/events/trace.h"
#include "record/names/opens.h"

#define TOUCHED_NONE SIZE_MAX

/* How it is known that a page has been touched. */
enum touch {
	TOUCH_READ,    /* a call has read it */
	TOUCH_FAULTED, /* a page table shows it: exact-faults.h */
	TOUCH_MAPPED,  /* the same, but the page may only lie beside a needed one */
};

struct touched_file {
	uint32_t device; /* these two as the events of the trace name the file */
	uint64_t inode;
	uint8_t *seen;   /* owned; a bit for each page that has been touched */
	uint8_t *mapped; /* owned; those of them that are TOUCH_MAPPED */
	uint64_t pages;  /* that the bits are for */
	uint64_t n_seen;
	uint8_t *hidden;       /* owned; a bit for each page of which page tables say nothing */
	uint64_t hidden_pages; /* that these bits are for */
	bool ignored;          /* no regular file of a disk: its pages are nobody's concern */
};

struct touched {
	struct opens *opens;        /* borrowed; everybody counts as the command's */
	struct record_trace *trace; /* borrowed */
	bool make_cold;
	bool serves; /* a followed process may serve a file system: nothing may wait for that (paths.c) */
	bool serves_memory; /* or pages of its memory (userfaultfd(2)), for which nothing may wait either */
	struct touched_file *items; /* owned */
	size_t count, capacity;
	struct inode_map by_stat; /* (st_dev, inode) to the index in items */
	struct inode_map
		by_mapping; /* the same as /proc/PID/maps has them, which on some file systems differ */
	uint64_t time;      /* of the last event: each has a later one */
	uint64_t page_size;
	uint64_t bits;     /* that the files have in all: bounded, whatever a program reads */
	size_t files_kept; /* that were to be cold, but of which pages stayed */
};

void touched_init(struct touched *touched, struct opens *opens, struct record_trace *trace, bool make_cold);
void touched_release(struct touched *touched);

/* CLOCK_MONOTONIC, but later than everything that was noted before. */
uint64_t touched_now(struct touched *touched);

/* The known file of that status, or TOUCHED_NONE. */
size_t touched_find(const struct touched *touched, const struct stat *status);

/*
 * Adds the open file, which may be open with O_PATH, unless it is known. `cold`: it is only going to be read. Returns 0
 * or -ENOMEM.
 */
int touched_add(struct touched *touched, int fd, int32_t pid, bool cold, size_t *ret);

/* Adds a file of which nothing is known, so that it need not be looked for again. Returns 0 or -ENOMEM. */
int touched_add_ignored(struct touched *touched, size_t *ret);

/*
 * What page tables show of these pages does not count from now on: something else than the start touches them. Of pages that are more
 * than can be noted, it counts. Returns 0 or -ENOMEM.
 */
int touched_hide(struct touched *touched, size_t file, uint64_t first, uint64_t last);

/* Whether one of these pages has not been touched so far, as page tables can tell. */
bool touched_has_new(const struct touched *touched, size_t file, uint64_t first, uint64_t last);

/* The pages from `first` to `last` of the file have been touched. Returns 0 or -ENOMEM. */
int touched_pages(
	struct touched *touched, size_t file, uint64_t first, uint64_t last, int32_t pid, enum touch touch);

/*
 * Of the touched pages, how many the kernel may have mapped only because they lay beside one that was needed
 * (fault-around, 64 KiB): in each such window all but one that no read has asked for.
 */
uint64_t touched_around(const struct touched *touched);
