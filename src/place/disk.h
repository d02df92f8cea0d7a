/* SPDX-License-Identifier: MIT */
/*
 * What is to be placed on one file system: the files that starts touch there, and in which order they do.
 *
 * An area is a part of the disk that is contiguous, as far as there is room for that. Placing moves runs of pages of files
 * into it, one file after the other: first the files that several programs share, beginning with those that most do, then those
 * of each program. Files of the same programs lie in the order of their first touch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "place/area.h"
#include "place/runs.h"

/* How files are moved. */
enum place_way {
	PLACE_EXCHANGE, /* place/exchange.h: ext4 */
	PLACE_SHARE,    /* place/share.h: XFS */
};

#define PLACE_SMALL (256u << 10) /* bytes: a file up to this size is moved whole */

enum place_status {
	PLACE_OPEN = 0, /* not yet decided; after a dry run: it would be moved */
	PLACE_MOVED,    /* into the area, or out of it; its bytes were compared */
	PLACE_STAYS,    /* nothing of it needs to move */
	PLACE_REFUSED,  /* it cannot be moved */
	PLACE_FAILED,   /* moving it failed; its bytes are as they were */
};

struct place_file {
	char *path; /* owned; without the folder of an image */
	uint64_t inode, size;
	int64_t mtime, ctime;  /* nanoseconds since the epoch */
	size_t programs, last; /* how many touch it; number of the last one that was added, from 1 */
	/* A bit for each of these: the highest for the first one, the lowest for all from the 64th on. */
	uint64_t sharers;
	uint64_t appended;             /* of a relaid file: offset of what relayout has appended; else 0 */
	struct place_runs hot;         /* touched by any of them */
	struct place_runs code;        /* mapped as code: one run for each such segment */
	struct place_runs placed;      /* moved by an earlier run of headstart, and still there */
	struct device_extent *extents; /* owned: where its data lies before anything is moved */
	size_t n_extents;
	struct place_runs moved; /* chosen to be moved, in the order in which they lie in the area */
	uint64_t at;             /* bytes from the beginning of the area, of the first of them */
	enum place_status status;
	char *reason; /* owned; of PLACE_REFUSED and PLACE_FAILED: follows the file's name */
};

/* How many pages its bytes take. */
static inline uint64_t place_file_pages(const struct place_file *file, uint32_t page_size)
{
	return file->size / page_size + (file->size % page_size != 0);
}

/* Pages of a file that were touched one after the other. */
struct place_touch {
	uint32_t file; /* index in the files of the disk */
	uint32_t page, pages;
};

/* What reading costs: as many requests, as many of them far from the one before, and so long. */
struct place_cost {
	uint64_t reads, seeks, bytes, us;
};

/* The touches of one program on this file system, and what they cost without headstart and with it. */
struct place_start {
	struct place_touch *touches; /* owned; in their order */
	size_t n_touches, capacity;
	struct place_cost alone_before, alone_after, planned_before, planned_after;
};

struct place_disk {
	uint64_t number; /* st_dev */
	struct device device;
	uint32_t page_size;
	uint64_t inodes, bytes; /* of the file system; 0: not known */
	bool code_reads_on;     /* code_faults_read_on() */
	uint32_t code_unit;     /* code_fault_unit() */
	enum place_way way;
	bool any_loss; /* even if starts without headstart become slower, as little slower as possible */
	char *folder;  /* owned: one on this file system, for the area */
	char *refusal; /* owned: why nothing is placed on it; or NULL */
	bool settled;  /* the refusal is no failure: nothing would be gained */
	struct place_file *files; /* owned */
	size_t n_files, files_capacity;
	struct place_start *starts; /* owned; one for each program of the job */
	size_t n_starts;
	const char *choice;     /* what is moved, in words */
	uint64_t area_pages;    /* that the area needs */
	struct place_area area; /* owned; without a donor: none yet */
};

void place_file_release(struct place_file *file);
void place_disk_release(struct place_disk *disk);

/* Decides about a file, with a reason in words ("is a running program"); without memory the reason is NULL. */
void place_set(struct place_file *file, enum place_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Files in the order in which they lie in the area: indices, which the caller frees. NULL without memory. */
size_t *place_order(const struct place_disk *disk);
