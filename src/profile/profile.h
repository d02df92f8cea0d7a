/* SPDX-License-Identifier: MIT */
/*
 * A profile: what one or more starts of a program touched. It is portable between machines of one page size. On disk a
 * profile holds several recordings, one for each thing that the program was asked for (profile/recordings/recordings.h); in memory
 * each of them is a profile, and so is what several have together.
 *
 * Order counts touches: the n-th distinct (file, page) that the start touched has order n. Files that are only looked
 * at (directories, links, files without pages) take a number too. A range is a run of pages that were touched one after
 * the other, so ranges keep the exact order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/string-index.h"

struct elf_landmarks;
struct profile_functions;

enum profile_kind {
	PROFILE_REGULAR = 0,
	PROFILE_DIRECTORY = 1,
	PROFILE_SYMLINK = 2,
};

enum profile_backend {
	PROFILE_BACKEND_UNKNOWN = 0,
	PROFILE_BACKEND_FILEMAP = 1,   /* root: filemap tracepoints */
	PROFILE_BACKEND_SYNTHETIC = 2, /* made by a test or by hand */
	PROFILE_BACKEND_PTRACE = 3,    /* anybody: ptrace and page tables */
	PROFILE_BACKEND_CALLGRIND = 4, /* imported: functions alone */
	PROFILE_BACKEND_PAGEMAP = 5,   /* anybody: page tables and open files, now and then */
};

/* What a backend is known to record wrongly: bits of profile.bias. */
enum profile_bias {
	PROFILE_BIAS_READAHEAD = 1 << 0, /* read-ahead was not off: its pages count as touched */
	PROFILE_BIAS_RESIDENT = 1 << 1,  /* some pages were cached before and are recorded less precisely */
	PROFILE_BIAS_LOST = 1 << 2,      /* the kernel dropped events, or ptrace skipped pages */
	PROFILE_BIAS_TIMEOUT = 1 << 3,   /* ended by its timeout, not by its milestone */
	PROFILE_BIAS_UNNAMED =
		1 << 4, /* files of other mount namespaces are missing: they have no name here */
	PROFILE_BIAS_LEARNT = 1 << 5,  /* headstartd saw the start, which it did not make cold, begin */
	PROFILE_BIAS_REFINED = 1 << 6, /* headstartd has added and removed pages since */
	PROFILE_BIAS_AROUND = 1 << 7,  /* pages that the kernel mapped beside a needed one count as touched */
	PROFILE_BIAS_ORDER = 1 << 8,   /* mapped pages were seen in steps: within one, by file and place */
	PROFILE_BIAS_UNSEEN = 1 << 9,  /* some programs, or what they read, could not be seen */
	PROFILE_BIAS_CALLED =
		1 << 10, /* of code with breakpoints, the pages of called functions count as touched */
	PROFILE_BIAS_SAMPLED = 1 << 11, /* what came and went between two looks is missing */
};

/* What headstartd still has to find out of pages, and how far it has come (profile/refine/refine.h). All 0: nothing. */
struct profile_doubt {
	uint16_t unsure; /* 1: mapped beside a page that was touched, and maybe not touched itself */
	uint16_t missed; /* starts in a row that did not touch it */
};

struct profile_range {
	uint32_t page;              /* first page, in units of profile.page_size */
	uint32_t pages;             /* > 0 */
	uint32_t order;             /* of its first page; page + i has order + i */
	uint32_t runs;              /* how many of profile.runs touched it; > 0 */
	struct profile_doubt doubt; /* of each of its pages */
};

static inline bool profile_doubt_same(const struct profile_doubt *a, const struct profile_doubt *b)
{
	return a->unsure == b->unsure && a->missed == b->missed;
}

#define PROFILE_BUILD_ID_MAX 32

struct profile_file {
	char *path; /* owned; absolute */
	enum profile_kind kind;
	uint64_t size;  /* bytes, at the end of the recording */
	int64_t mtime;  /* nanoseconds since the epoch */
	uint32_t order; /* of the first touch of the file itself */
	uint8_t build_id[PROFILE_BUILD_ID_MAX];
	size_t build_id_size;         /* bytes; 0 where it has none */
	struct profile_range *ranges; /* owned; ascending by page, never overlapping */
	size_t n_ranges;
	size_t ranges_capacity;
	struct elf_landmarks *landmarks; /* owned: around its pages (profile/updates/carry.h); NULL: none */
};

/* A run of pages of a disk, in units of profile.page_size. */
struct profile_block_range {
	uint32_t page;
	uint32_t pages; /* > 0 */
};

/* What starts read of a file system's metadata (profile/metadata.h). */
struct profile_file_system {
	uint64_t id; /* of the file system, wherever it is mounted: device/file-system.h */
	struct profile_block_range
		*ranges; /* owned; at least one; ascending by page, with room between them */
	size_t n_ranges, ranges_capacity;
};

/* A point of the start at which another program began. A plan can begin there. */
struct profile_exec {
	char *path;     /* owned; absolute, canonical: a script's own path, not its interpreter's */
	uint32_t order; /* touches before it */
};

struct profile {
	char *command;      /* owned; argv joined by spaces, for people */
	char *program;      /* owned; canonical path of what was started */
	char *kernel;       /* owned; uname -r of the recording machine */
	char *device;       /* owned; the device of the program's file, for people: "loop0 rotational" */
	char *milestone;    /* owned; what ended the recording: "exit", "mark", "idle" … */
	char **arguments;   /* owned; argv of the start, with NULL after the last; or NULL */
	size_t n_arguments; /* 0: not known */
	char *folder;       /* owned; the working folder of the start; NULL or "": not known */
	char *rule; /* owned; how the two below were found (format/asked.h); NULL or "": they were not */
	char *asked_path; /* owned; the file or folder that was asked for; NULL or "": none */
	uint64_t asked;   /* the key of what was asked for; 0: it has none */
	uint32_t status;  /* of the command, as waitpid(2) has it; 0 if it had not ended */
	int64_t recorded; /* seconds since the epoch */
	uint32_t page_size;
	uint32_t runs;              /* recordings merged into it; > 0 */
	uint32_t touches;           /* all orders are below it */
	uint32_t first_touches;     /* touches when headstartd first refined it; 0: it has not */
	uint32_t first_pages;       /* pages of all files then */
	uint32_t backend;           /* enum profile_backend */
	uint32_t bias;              /* enum profile_bias bits */
	struct profile_file *files; /* owned; ascending by order */
	size_t n_files, files_capacity;
	struct profile_exec *execs; /* owned; ascending by order; the first is the program itself, at 0 */
	size_t n_execs, execs_capacity;
	struct profile_file_system *file_systems; /* owned; ascending by id, each once */
	size_t n_file_systems, file_systems_capacity;
	struct profile_functions *functions; /* owned (profile/functions.h); NULL: not recorded */
	struct string_index index;           /* how profile_find_file() finds the files */
	struct string_index exec_index;      /* how profile_has_exec() finds the exec points */
};

#define PROFILE_MAX_SIZE      (64u << 20) /* bytes of a profile file */
#define PROFILE_ARGUMENTS_MAX 4096u       /* of one recording */

#define PROFILE_FILE_SYSTEMS_MAX 64u

void profile_release(struct profile *profile);

/* Frees what a file owns, and leaves it empty. */
void profile_file_release(struct profile_file *file);

static inline void profile_file_releasep(struct profile_file *file)
{
	profile_file_release(file);
}

static inline void profile_releasep(struct profile *profile)
{
	profile_release(profile);
}

/*
 * Adds an empty file, or finds the one of that path and leaves its kind alone. *ret_index is its place in files.
 * Returns 0 or negative errno. Invalidates pointers into files.
 */
int profile_add_file(struct profile *profile, const char *path, enum profile_kind kind, size_t *ret_index);

/* *ret is the file of that path, or NULL. Returns 0 or -ENOMEM. */
int profile_find_file(const struct profile *profile, const char *path, const struct profile_file **ret);

int profile_file_add_range(struct profile_file *file, struct profile_range range);

/* The first range that ends after the page, or n_ranges. The ranges must be sorted. */
size_t profile_file_range_after(const struct profile_file *file, uint64_t page);

/* Sorts the ranges by page, and joins those that continue each other. */
void profile_file_sort(struct profile_file *file);
/* Whether an exec point has that path. */
bool profile_has_exec(const struct profile *profile, const char *path);

int profile_add_exec(struct profile *profile, const char *path, uint32_t order);

/* Replaces the arguments by copies of `argv`, which ends with NULL. Returns 0, -E2BIG or -ENOMEM; then it has none. */
int profile_set_arguments(struct profile *profile, const char *const *argv);

/*
 * Completes a profile after adding: sorts the files and execs by order, the ranges by page and the metadata, joins ranges
 * that continue each other, puts the program before the execs if it is missing, and raises touches above all orders. Then
 * calls profile_check(). Returns 0, -ENOMEM or -EINVAL.
 */
int profile_finish(struct profile *profile);

/*
 * Whether all that is said above of the fields is true: 0, or -EINVAL. It also checks that page_size is a power of two
 * from 4 KiB to 1 MiB, that paths are shorter than PATH_MAX and no two files have the same, and that there are fewer
 * than 2^32 pages in all, so that no sum of bytes overflows. Or -ENOMEM.
 */
int profile_check(const struct profile *profile);

/* Pages of all ranges of a file, and bytes of all ranges. */
uint64_t profile_file_pages(const struct profile_file *file);
uint64_t profile_bytes(const struct profile *profile);

/* *ret, a copy of all of it, is the caller's to release. Returns 0 or -ENOMEM. */
int profile_copy(const struct profile *profile, struct profile *ret);

/* Takes out the file of that path. Returns whether there was one. */
bool profile_leave_out(struct profile *profile, const char *path);
