/* SPDX-License-Identifier: MIT */
/*
 * Files that are relaid together: all their names, where the results go, and what became of each.
 *
 *	struct relayout_batch batch = {.options = …};
 *	r = relayout_batch_enter(&batch, "/");
 *	r = relayout_batch_add(&batch, name);                for each, or relayout_batch_add_profile()
 *	r = relayout_batch_place(&batch, out, &clash);       unless the files are to be replaced
 *	relayout_batch_run(&batch, 0, NULL, NULL);           then look at the status of each file
 *	relayout_batch_release(&batch);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "relayout/relayout.h"

enum relayout_status {
	RELAYOUT_PENDING,
	RELAYOUT_DONE,    /* relaid, or would be in a dry run */
	RELAYOUT_SKIPPED, /* there is nothing to do */
	RELAYOUT_REFUSED, /* it cannot or should not be relaid */
	RELAYOUT_FAILED,  /* something went wrong */
};

struct relayout_file {
	char *path;         /* owned; canonical, as this process opens it */
	const char *inside; /* the same inside the root; borrowed from path */
	dev_t device;
	ino_t inode;
	const char *name; /* as the caller named it, without folders; borrowed */
	char *output;     /* owned; where the result goes; NULL: replaces the file */
	char **names; /* owned; other names of the file (hard links): those in its folder, and what the caller added */
	size_t n_names;
	enum relayout_status status;
	char *reason; /* owned; a text that follows the file's name, unless RELAYOUT_DONE; NULL without memory */
	char *advice;  /* owned; what to do about it, or NULL; the caller sets it, not the batch */
	bool copied;   /* skipped, and written to `output` as it is */
	bool unfit;    /* refused for its content: an error only if the user named it */
	int64_t mtime; /* before, seconds since the epoch */
	uint64_t size_before, size_after, hot_bytes;
	struct relayout_reads before, after;
	struct relayout_pass passes[RELAYOUT_PASSES];
};

struct relayout_batch {
	/* The caller fills these in. */
	struct relayout_options options;
	bool force;          /* also files whose refusal the user may override (relayout/refuse.h) */
	bool dry_run;        /* write nothing */
	bool copy_skipped;   /* the output of a skipped file is an unchanged copy of it */
	bool originals_only; /* refuse a file that is relaid already */

	char *root;         /* owned; canonical, without a slash at its end: "" for the system itself */
	bool knows_relr[2]; /* the libc below the root: for x86-64, for aarch64 */
	bool older_libc;    /* the start used another one, which may not know it */
	struct relayout_file *files; /* owned */
	size_t n_files, capacity;
};

/* Makes `root` ("/": the system itself) the root of all paths from now on. Returns 0, -ENOTDIR, or negative errno. */
int relayout_batch_enter(struct relayout_batch *batch, const char *root);

/*
 * Adds a file by a path below the root, whose links do not lead out of it, with all names that it has in the same folder.
 * A file that is in the batch already gets these names. `name` is borrowed. Returns 0 or negative errno.
 */
int relayout_batch_add(struct relayout_batch *batch, const char *name);

/*
 * The same for the ELF files of options.profile. Skips the profile's other files, and those that no longer exist.
 * *ret_culprit, borrowed from the profile, is the path that could not be added.
 */
int relayout_batch_add_profile(struct relayout_batch *batch, const char **ret_culprit);

/* Two files whose results would have the same path. */
struct relayout_clash {
	const struct relayout_file *one, *other; /* borrowed */
};

/*
 * Sends the results to `output`; if it is a folder, into it, under the names that the caller gave the files. Returns 0;
 * -ENOTDIR if it is no folder and there are several files; -EEXIST with *ret_clash; or -ENOMEM.
 */
int relayout_batch_place(struct relayout_batch *batch, const char *output, struct relayout_clash *ret_clash);

/*
 * Sends the results of what is pending below `folder`, an absolute path, each at the path of its file, and makes the
 * folders for that.
 * Returns 0 or negative errno with *ret_culprit, the path of the file.
 */
int relayout_batch_place_below(struct relayout_batch *batch, const char *folder, const char **ret_culprit);

/* The threads of relayout_batch_run() call this each time a file is finished, possibly at the same time. */
typedef void relayout_progress(void *context, size_t done, size_t of);

/*
 * Relays out all files that are RELAYOUT_PENDING, and records the outcome in each. Works on `jobs` files at once; 0
 * means as many as there are processors. `progress` may be NULL.
 */
void relayout_batch_run(
	struct relayout_batch *batch, size_t jobs, relayout_progress *progress, void *context);

/* The outcome for all files; sizes and reads are those of the RELAYOUT_DONE ones. */
struct relayout_totals {
	size_t by_status[RELAYOUT_FAILED + 1]; /* files */
	uint64_t hot_bytes;
	struct relayout_reads before, after;
};

struct relayout_totals relayout_batch_sum(const struct relayout_batch *batch);

/*
 * Whether a file failed, or was refused for a reason that the user can remedy. Refusals as unfit count only if the
 * files were `named` one by one.
 */
bool relayout_batch_failed(const struct relayout_batch *batch, bool named);

/* The most that `jobs` can be. */
#define RELAYOUT_JOBS_MAX 256u

/* Sets the status of a file that is not relaid; `format` makes the reason. */
void relayout_set(struct relayout_file *file, enum relayout_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Releases all but the options. */
void relayout_batch_release(struct relayout_batch *batch);

/* One file of a batch; internal to src/relayout. */
void relayout_batch_file(const struct relayout_batch *batch, struct relayout_file *file);
