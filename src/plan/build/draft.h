/* SPDX-License-Identifier: MIT */
/*
 * A plan in the making. plan_build() calls these passes in this order:
 *
 *     draft_select()       files that are still as recorded, and their pages             select/select.c
 *     draft_cut()          the first touched of them, up to the budget                   select/select.c
 *     draft_probe()        pages that distinguish a warm start from a cold one           start/probe.c
 *     draft_static_tls()   how much static TLS the libraries of the start take           start/static-tls.c
 *     draft_place()        where the pages lie, on rotational devices                    reads/place.c
 *     draft_wait()         how long the start's own reads take, and the program may wait time/wait.c
 *     draft_metadata()     which blocks of metadata are read before all else             reads/metadata.c
 *     draft_merge()        joins neighbours over gaps that are cheaper to read than skip reads/merge.c
 *     draft_touch_blocks() a page of each block of a lazily loaded device                reads/blocks.c
 *     draft_sort()         files and extents in the order that suits the device          reads/order.c
 *     draft_saving()       how long its reads take                                       time/saving.c
 *     draft_write()        the plan file                                                 write.c
 *
 * Passes call draft.c and time/cost.c, but not each other; draft_select() calls select/guess.c for files that were
 * updated. Internal to src/plan/build and its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "format/plan.h"
#include "plan/build/build.h"
#include "profile/profile.h"

#define DRAFT_NOWHERE UINT64_MAX /* physical place that is not known or does not matter */
#define DRAFT_PROBES  6u

struct draft_device {
	uint64_t number; /* st_dev */
	struct device device;
};

struct draft_file {
	const struct profile_file *source; /* not owned */
	uint64_t size;                     /* bytes, now */
	int64_t mtime;                     /* nanoseconds since the epoch, now */
	uint64_t inode;
	uint32_t device; /* index in devices */
	uint32_t pages;  /* of it, selected */
	bool guessed;    /* it was updated since the recording, and source is what is guessed of it */
	bool public;     /* everybody may read it */
	bool elf;        /* begins as an ELF file does */
	bool image;      /* begins as a squashfs does: an image that nobody writes */
	bool database;   /* begins as one of SQLite does */
};

struct draft_extent {
	uint32_t file;     /* index in files */
	uint32_t page;     /* first page */
	uint32_t pages;    /* > 0 */
	uint32_t gap;      /* pages among them that no start touched */
	uint32_t order;    /* of the first touch in it */
	uint32_t runs;     /* that touched it; of a merged extent, those of its first part */
	uint64_t physical; /* bytes on the device, of its first page; or DRAFT_NOWHERE */
	uint32_t run_end;  /* the pages of the file up to this one follow it on the disk, too; 0: not known */
	bool touch; /* it only has a block fetched (reads/blocks.c); its page is in another extent, too */
};

/* A file system whose metadata is read. Its ranges are those after the ones of the file system before. */
struct draft_file_system {
	uint64_t id;
	char *point;   /* owned; below the root of the draft */
	size_t ranges; /* > 0 */
};

/* Pages of the disk of a file system. */
struct draft_metadata {
	uint32_t page;
	uint32_t pages; /* > 0 */
	uint32_t gap;   /* pages among them that no start read */
};

struct draft_probe {
	uint32_t file;
	uint32_t page;
};

struct plan_draft {
	const struct profile *profile; /* not owned */
	const char *root; /* not owned; NULL, or the canonical folder below which the profile's paths lie */
	bool shared;      /* for everybody */
	bool snapshot;    /* of memory; not of a start */
	const char *rule; /* not owned; NULL: the plan leads to no others */
	uint64_t asked;   /* key of the starts that it is for; 0: of any start */
	enum device_class device;     /* of the program; the next one has the rest of what is known of it */
	const struct device *disk;    /* in devices; NULL without files */
	struct draft_device *devices; /* owned */
	size_t n_devices, devices_capacity;
	struct draft_file *files; /* owned; ascending by the order of their touch until draft_sort() */
	size_t n_files, files_capacity;
	struct profile_file **guesses; /* owned: what is guessed of files that were updated */
	size_t n_guesses, guesses_capacity;
	struct draft_extent *extents; /* owned; one for each profile range until draft_merge() */
	size_t n_extents, extents_capacity;
	struct draft_file_system *file_systems; /* owned */
	size_t n_file_systems, file_systems_capacity;
	struct draft_metadata *metadata; /* owned; ascending by page within a file system */
	size_t n_metadata, metadata_capacity;
	struct draft_probe probes[DRAFT_PROBES];
	size_t n_probes;
	uint32_t static_tls; /* bytes; UINT32_MAX: at least that */
	uint32_t wait_ms;    /* 0: the program does not wait */
	struct plan_summary summary;
};

void draft_release(struct plan_draft *draft);

static inline void draft_releasep(struct plan_draft *draft)
{
	draft_release(draft);
}

/* The path of a file of the profile below the root. *ret is the caller's. Returns 0 or -ENOMEM. */
int draft_path(const struct plan_draft *draft, const char *path, char **ret);

/*
 * Whether a plan for everybody must leave out this file of the profile, at `path` below the root, because somebody
 * besides root can change what the path leads to.
 */
bool draft_is_others(const struct plan_draft *draft, const struct profile_file *file, const char *path);

/*
 * Guesses which pages the start would touch of a file that is not the recorded one any more. *ret_guess is the draft's;
 * its path is that of the file, which need not be the recorded one. Returns 0; -ENODATA if nothing can be guessed; -EPERM
 * if a plan for everybody must leave out the file; or negative errno.
 */
int draft_guess(
	struct plan_draft *draft, const struct profile_file *source, const struct profile_file **ret_guess);

static inline const struct device *draft_file_device(const struct plan_draft *draft, uint32_t file)
{
	return &draft->devices[draft->files[file].device].device;
}

static inline uint64_t draft_bytes(const struct plan_draft *draft, uint64_t pages)
{
	return pages * draft->profile->page_size;
}

/* The passes. Those that can fail return 0 or negative errno. */
int draft_select(struct plan_draft *draft, const struct plan_options *options);
int draft_cut(struct plan_draft *draft, uint64_t budget);
int draft_probe(struct plan_draft *draft);
int draft_static_tls(struct plan_draft *draft);
int draft_place(struct plan_draft *draft);
int draft_wait(struct plan_draft *draft);
/* The part of draft_place() that does not look at the file system: cuts an extent where its places on the disk end. */
int draft_split(struct plan_draft *draft, size_t extent, const struct device_extent *places, size_t n_places);
int draft_metadata(struct plan_draft *draft);
/* After draft_merge(): adds to the extents a page of each block of a lazily loaded device. Returns 0 or -ENOMEM. */
int draft_touch_blocks(struct plan_draft *draft);

/* The part of draft_metadata() that does not look at the file system: adds ranges of a file system on that device. */
int draft_add_metadata(struct plan_draft *draft, const struct profile_file_system *source,
	const struct device *device, const char *point);
void draft_merge(struct plan_draft *draft, uint64_t budget);
int draft_sort(struct plan_draft *draft);
void draft_saving(struct plan_draft *draft);
int draft_write(const struct plan_draft *draft, void **ret_data, size_t *ret_size);
