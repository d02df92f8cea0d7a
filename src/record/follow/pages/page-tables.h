/* SPDX-License-Identifier: MIT */
/*
 * What a process has mapped, and which of it its page tables have: /proc/PID/maps and /proc/PID/pagemap. Nothing is
 * changed, and the process may run meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct page_mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* bytes, in the file */
	uint64_t inode;      /* never 0 */
	uint32_t device;     /* major << 20 | minor */
	bool code;           /* executable, and changes to it are the process's own */
	const char *
		path; /* as the kernel names it to us; borrowed; may be of another root, or end with " (deleted)" */
};

typedef int page_mapping_found(void *context, const struct page_mapping *mapping);

/*
 * Calls found() for each mapping of a file that reaches into these addresses, in their order, and stops at its first
 * result that is not 0. Linux 6.11 is asked for one mapping after the other; of an older kernel all are read as text.
 * Returns that result, or negative errno: -EACCES or -EPERM if we may not look.
 */
int page_tables_mappings(int32_t pid, uint64_t start, uint64_t end, page_mapping_found *found, void *context);

/*
 * The file that is mapped there (O_PATH), not whatever has its name by now. Returns a descriptor, or negative errno: only who has
 * CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE may open it.
 */
int page_tables_open_file(int32_t pid, const struct page_mapping *mapping);

/* Whether the kernel can be asked for one mapping after the other. */
bool page_tables_can_ask(void);

/* Returns a descriptor for page_tables_present(), or negative errno. It goes on showing the memory that the process has now. */
int page_tables_open(int32_t pid);

/* Whether the page tables have every page of these addresses, or have it swapped out. */
bool page_tables_have(int pagemap, uint64_t address, uint64_t size);

/* `huge`: a huge page, which is mapped as a whole, whatever of it is touched; known from Linux 6.7 on. */
typedef int page_run_found(void *context, uint64_t address, uint64_t pages, bool huge);

/*
 * Calls found() for each run of pages in [start, end), whole pages, that the page tables have: pages of files, and copies
 * of such that the process has written to. `*budget` is how many pages may still be found, or, by a kernel before 6.7, how
 * many entries may still be read. Returns as above, or -EFBIG if that is not enough for these addresses: what was found
 * before counts, and the budget stays for others.
 */
int page_tables_present(
	int pagemap, uint64_t start, uint64_t end, uint64_t *budget, page_run_found *found, void *context);
