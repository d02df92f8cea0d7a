/* SPDX-License-Identifier: MIT */
/*
 * Moves what starts touch together on the disk:
 *
 *	_cleanup_(place_job_releasep) struct place_job job = {.root = "", …};
 *	r = place_job_add(&job, profile);       for each program
 *	r = place_job_prepare(&job, record);    looks at the file systems and the files, and chooses
 *	r = place_job_allocate(&job);           room for what is moved
 *	r = place_job_record(&job, record);     then the record is saved, before anything is moved
 *	r = place_job_run(&job);
 *
 * Whatever happens at any step, also the end of the process or a loss of power, all files have their bytes: what is moved
 * is moved by the kernel, block by block, and its journal makes each exchange whole (place/exchange.h); or the kernel compares it
 * with a copy (place/share.h). The area is a file without a name, so that nothing is left over.
 */
#pragma once

#include "place/disk.h"
#include "place/record.h"
#include "profile/profile.h"

struct place_loader; /* internal */

struct place_job {
	const char *
		root; /* borrowed: the canonical folder of an image, below which the profiles' paths lie; or "" */
	enum device_class class;         /* of all disks; DEVICE_UNKNOWN: look at them */
	const struct device_rule *rules; /* borrowed */
	size_t n_rules;
	bool force;      /* also on disks where nothing is gained */
	bool anew;       /* also what was placed before */
	bool dry_run;    /* nothing is to be moved */
	char **programs; /* owned: canonical paths */
	size_t n_programs, programs_capacity;
	struct place_disk *disks; /* owned */
	size_t n_disks, disks_capacity;
	size_t changed, gone;         /* files of profiles that are left out */
	size_t unreadable;            /* likewise */
	struct place_loader *loaders; /* owned */
	size_t n_loaders, loaders_capacity;
};

void place_job_release(struct place_job *job);

static inline void place_job_releasep(struct place_job *job)
{
	place_job_release(job);
}

/*
 * Adds what the starts of one program touch, as far as the files are still those that were recorded. Returns 0, -EINVAL if
 * the pages of the profile are not those of this machine, or another negative errno.
 */
int place_job_add(struct place_job *job, const struct profile *profile);

/*
 * Decides for each disk and file what is done with it. What the record says was placed, and still lies there, is left where
 * it is unless job->anew. A disk on which nothing is done gets a refusal. Returns 0 or negative errno.
 */
int place_job_prepare(struct place_job *job, const struct place_record *record);

/*
 * Allocates the areas. A disk without room for one, or with room in pieces so small that they would not help, gets a
 * refusal. Returns 0 or negative errno.
 */
int place_job_allocate(struct place_job *job);

/* Adds to the record what is going to be moved, and to which place. Returns 0, -EFBIG (place/record.h) or -ENOMEM. */
int place_job_record(const struct place_job *job, struct place_record *record);

/* Called before each file is moved. */
typedef void place_progress(void *context, size_t done, size_t of);

/*
 * Moves the files, each of which has a status afterwards. Returns 0; -EBADMSG after bytes differed, or -EIO after the disk did
 * not take them (place/move.h): then nothing more was moved; or another negative errno.
 */
int place_job_run(struct place_job *job, place_progress *progress, void *context);

/* A file that was taken back. */
struct place_returned {
	char *path;   /* owned */
	bool moved;   /* into a place of its own */
	char *reason; /* owned: why it stays as it is; NULL: it was moved, or is not placed any more */
	bool keep;    /* it is still placed, and stays in the record */
};

void place_returned_release(struct place_returned *returned);

static inline void place_returned_releasep(struct place_returned *returned)
{
	place_returned_release(returned);
}

/*
 * Moves one recorded file into a contiguous place of its own, beside the other files of its folder. If it has been
 * replaced or changed since, nothing is done. Returns 0; -EBADMSG as above; or another negative errno.
 */
int place_take_back(const struct placed_file *file, uint32_t page_size, struct place_returned *ret);
