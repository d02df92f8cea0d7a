/* SPDX-License-Identifier: MIT */
/*
 * The plan file: what a start of one program touches, in the order in which this machine's device reads it best.
 *
 * A program that was recorded with different arguments has several plans. The one that its name leads to (plan-name.h)
 * has a rule in its head (format/asked.h): how to find the key of a start, and so the plan of that start
 * (format/state-folder.h). It serves the starts that have no plan of their own.
 *
 * Never portable between machines, but of fixed layout all the same: little-endian, every field aligned to
 * its size.
 *
 *     struct plan_header          the fixed part
 *     probes                      struct plan_probe[probe_count], then their paths: what the shim reads to tell a warm
 *                                 start from a cold one; then the rule. All this lies in the first PLAN_HEAD_MAX bytes,
 *                                 under header_checksum, so one pread(2) is enough for the shim.
 *     files                       struct plan_file[file_count], in the order in which to open them
 *     extents                     struct plan_extent[extent_count], in the order in which to read them
 *     file systems                struct plan_file_system[file_system_count], whose metadata is read before all else
 *     metadata                    struct plan_metadata[metadata_count]: that of the first file system, then of the second …
 *     strings                     NUL-terminated paths; the last byte of the file is a NUL
 *
 * A reader checks the head with plan_head_check() (freestanding, here), and the rest with plan_view_init()
 * (format/plan-view.h). After that every index and offset is good; before it, trust nothing. Both need the bytes at a
 * multiple of 8, as malloc and mmap return them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/asked.h"
#include "format/endian.h"
#include "format/hash.h"

#define PLAN_MAGIC      "HSPLAN\r\n"
#define PLAN_VERSION    6u          /* since 6 a plan may have metadata */
#define PLAN_HEAD_MAX   4096u       /* bytes: header, probes and rule */
#define PLAN_FILE_MAX   (64u << 20) /* bytes: a larger plan is refused */
#define PLAN_FILES_MAX  (1u << 18)  /* files in a plan */
#define PLAN_PROBES_MAX 16u

#define PLAN_FILE_SYSTEMS_MAX 64u

#define PLAN_DEPTH_LAZY 256u /* the device fetches what it reads from elsewhere */

enum plan_order {
	PLAN_ORDER_TOUCH = 0,    /* files and extents in order of first touch */
	PLAN_ORDER_PHYSICAL = 1, /* files by inode number, extents by physical block */
};

struct plan_header {
	uint8_t magic[8];       /* PLAN_MAGIC */
	uint32_t version;       /* PLAN_VERSION; a reader refuses any other */
	uint32_t page_size;     /* bytes: the unit of all pages below; a power of two, 4 KiB to 1 MiB */
	uint64_t file_size;     /* bytes: the whole plan */
	uint64_t body_checksum; /* XXH3-64 of everything from files_offset to the end */
	int64_t created;        /* seconds since the epoch */
	uint32_t order;         /* enum plan_order */
	uint32_t program;       /* offset in strings: canonical path of the program started; absolute */
	uint32_t probe_count;   /* <= PLAN_PROBES_MAX */
	uint32_t probes_end;   /* bytes from the start of the file: end of probes, their paths and the rule */
	uint32_t file_count;   /* <= PLAN_FILES_MAX */
	uint32_t files_offset; /* bytes from the start of the file; multiple of 8 */
	uint32_t extent_count;
	uint32_t extents_offset; /* bytes from the start of the file; multiple of 8 */
	uint32_t strings_offset; /* bytes from the start of the file; ends at file_size */
	uint32_t window_pages;   /* pages, > 0: largest read submitted at once, from the device's limits */
	uint32_t static_tls;     /* bytes the start's libraries take of static TLS; see elf/static-tls.h */
	uint32_t reserved;       /* 0; nobody reads it */
	uint32_t
		wait_ms; /* the program waits at most so long for the plan to be carried out; 0: not at all */
	uint32_t depth;  /* reads of a page at once that the device can use; PLAN_DEPTH_LAZY; 0: not known */
	uint64_t asked;  /* key of the starts that this plan is for; 0: of any start */
	uint32_t
		rule; /* bytes from the start of the file: the rule, which ends at probes_end; 0: there is none */
	uint32_t lost; /* recorded pages that the plan is without: their files had changed or were gone */
	uint32_t file_system_count;   /* <= PLAN_FILE_SYSTEMS_MAX */
	uint32_t file_systems_offset; /* bytes from the start of the file; multiple of 8 */
	uint32_t metadata_count;
	uint32_t metadata_offset; /* bytes from the start of the file; multiple of 8 */
	uint64_t header_checksum; /* FNV-1a 64 of [0, here) then of [sizeof header, probes_end) */
};

/* A page that is resident when the start is warm. */
struct plan_probe {
	uint32_t page;
	uint16_t path;     /* bytes from the start of the file: a NUL-terminated path before probes_end */
	uint16_t reserved; /* 0 */
};

enum plan_file_kind {
	PLAN_REGULAR = 0,
	PLAN_DIRECTORY = 1, /* opened and read, so that look-ups below it need no disk */
	PLAN_SYMLINK = 2,   /* its link is read */
};

struct plan_file {
	uint64_t size;  /* bytes, when the plan was made; a regular file of another size is stale */
	int64_t mtime;  /* nanoseconds since the epoch, likewise */
	uint64_t inode; /* for humans and reports */
	uint32_t path;  /* offset in strings: absolute */
	uint32_t kind;  /* enum plan_file_kind */
};

struct plan_extent {
	uint32_t file;    /* index in files: a regular one */
	uint32_t page;    /* first page */
	uint32_t pages;   /* > 0; the last one begins inside the file; those of all extents are < 2^32 */
	uint32_t gap;     /* < pages: those that nobody touched, read because a gap is cheaper than a seek */
	uint32_t order;   /* touches of the start before the first in it */
	uint32_t guessed; /* 1: the file was updated, and no start has confirmed these pages since; or 0 */
};

/*
 * A file system whose metadata is read, which happens through the page cache of its disk. Where blocks of metadata lie is
 * a hint: nothing is concluded from what they contain, and at worst they are read in vain.
 */
struct plan_file_system {
	uint64_t id;             /* device/file-system.h; no other file system's disk is read */
	uint32_t point;          /* offset in strings: where it was mounted; absolute */
	uint32_t metadata_count; /* > 0: how many entries of the table are its own */
};

struct plan_metadata {
	uint32_t
		page; /* first page of the disk; behind the entry before, if that is of the same file system */
	uint32_t pages;    /* > 0; those of all entries are < 2^32 */
	uint32_t gap;      /* < pages: those that no start read */
	uint32_t reserved; /* 0 */
};

_Static_assert(sizeof(struct plan_header) == 136, "on-disk layout");
_Static_assert(sizeof(struct plan_probe) == 8, "on-disk layout");
_Static_assert(sizeof(struct plan_file) == 32, "on-disk layout");
_Static_assert(sizeof(struct plan_extent) == 24, "on-disk layout");
_Static_assert(sizeof(struct plan_file_system) == 16, "on-disk layout");
_Static_assert(sizeof(struct plan_metadata) == 16, "on-disk layout");

/* The first probe; valid once the head is checked. */
static inline const struct plan_probe *plan_head_probes(const void *head)
{
	return (const struct plan_probe *)((const char *)head + sizeof(struct plan_header));
}

static inline uint64_t plan_head_checksum(const void *head, uint32_t probes_end)
{
	const char *bytes = head;
	uint64_t hash = fnv1a64(FNV1A64_START, bytes, offsetof(struct plan_header, header_checksum));

	return fnv1a64(hash, bytes + sizeof(struct plan_header), probes_end - sizeof(struct plan_header));
}

/* The rule by which other starts of the program have plans of their own; NULL if there is none. */
static inline const char *plan_head_rule(const void *head)
{
	uint32_t rule = LE32(((const struct plan_header *)head)->rule);

	return rule ? (const char *)head + rule : NULL;
}

/* Whether a rule lies where the header says. A plan for certain starts has none: nothing leads on from it. */
static inline bool plan_rule_good(const struct plan_header *header, uint32_t paths, uint32_t end)
{
	uint32_t rule = LE32(header->rule);

	return rule == 0 ||
		(header->asked == 0 && rule >= paths && rule < end && end - rule <= ASKED_RULE_MAX &&
			((const char *)header)[end - 1] == '\0');
}

static inline bool plan_page_size_good(uint32_t page_size)
{
	return page_size >= 4096 && page_size <= 1u << 20 && (page_size & (page_size - 1)) == 0;
}

/*
 * Whether the first `size` bytes of a file (at least min(file size, PLAN_HEAD_MAX) of them) begin a plan of
 * this version whose header, probes and rule are intact: all of them inside the head, paths absolute, texts
 * NUL-terminated.
 */
static inline bool plan_head_check(const void *head, size_t size)
{
	const struct plan_header *header = head;
	const struct plan_probe *probes = plan_head_probes(head);
	uint32_t count, end;

	if (size < sizeof(*header))
		return false;
	for (int i = 0; i < 8; i++)
		if (header->magic[i] != (uint8_t)PLAN_MAGIC[i])
			return false;
	count = LE32(header->probe_count);
	end = LE32(header->probes_end);
	if (LE32(header->version) != PLAN_VERSION || count > PLAN_PROBES_MAX ||
		!plan_page_size_good(LE32(header->page_size)))
		return false;
	if (end > PLAN_HEAD_MAX || end > size || end < sizeof(*header) + count * sizeof(*probes))
		return false;
	if (LE64(header->header_checksum) != plan_head_checksum(head, end))
		return false;
	if (count > 0 && ((const char *)head)[end - 1] != '\0')
		return false;
	if (!plan_rule_good(header, (uint32_t)(sizeof(*header) + count * sizeof(*probes)), end))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint16_t path = LE16(probes[i].path);

		if (path < sizeof(*header) + count * sizeof(*probes) || path >= end)
			return false;
		if (probes[i].reserved != 0)
			return false;
		if (((const char *)head)[path] != '/')
			return false;
	}
	return true;
}
