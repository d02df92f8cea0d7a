/* SPDX-License-Identifier: MIT */
/* What the parts of 'headstart relayout' share: the files that it is about and what became of each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "relayout/relayout.h"

enum relayout_status {
	RELAYOUT_PENDING,
	RELAYOUT_DONE,    /* relaid, or would be */
	RELAYOUT_SKIPPED, /* there is nothing to do */
	RELAYOUT_REFUSED, /* it cannot or should not be done */
	RELAYOUT_FAILED,  /* something went wrong */
};

struct relayout_file {
	char *path;         /* owned; canonical, as this process opens it */
	const char *inside; /* the same inside the tree */
	dev_t device;
	ino_t inode;
	const char *name; /* by which it was named, without folders; borrowed */
	char *output;     /* owned; where the result goes; NULL: in place */
	char **names;     /* owned; other names of the file (hard links) */
	size_t n_names;
	enum relayout_status status;
	char *reason;  /* owned; a text that follows the file's name, unless it was done */
	char *advice;  /* owned; what to do about it, or NULL */
	bool copied;   /* skipped, and written to `output` as it is */
	bool unfit;    /* refused for what it is: no error unless it was named */
	int64_t mtime; /* before, seconds since the epoch */
	uint64_t size_before, size_after, hot_bytes;
	struct relayout_reads before, after;
	struct relayout_pass passes[RELAYOUT_PASSES];
};

struct relayout_run {
	/* The command line. */
	const char *profile_path;
	const char *output;
	const char *tree;
	const char *shadow;
	bool in_place, force, all, dry_run, json;
	size_t jobs; /* 0: as there are processors */
	struct relayout_options options;

	/* What it leads to. */
	struct profile profile;
	char *root; /* owned; the tree, canonical, without a slash at its end: "" for the system itself */
	char *shadow_folder; /* owned; absolute */
	bool knows_relr[2];  /* the libc of the tree: for x86-64, for aarch64 */
	bool listed;         /* the files were named by the user */
	struct relayout_file *files;
	size_t n_files, files_capacity;
};

/*
 * Fills in the files: those named, or the ELF files of the profile. Returns 0, or an exit status with the
 * reason said.
 */
int relayout_list(struct relayout_run *run, char **names, size_t n);

/* Decides which files are not to be rewritten because they belong to packages. Returns as relayout_list(). */
int relayout_ask_packages(struct relayout_run *run);

/* Relayouts one file, and writes down in it what became of that. */
void relayout_file(const struct relayout_run *run, struct relayout_file *file);

/* Says of a file why it was not relaid. `format` may be NULL. */
void relayout_set(struct relayout_file *file, enum relayout_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Makes places for the copies of --shadow; and writes what mounts them. Return as relayout_list(). */
int relayout_shadow_begin(struct relayout_run *run);
int relayout_shadow_finish(const struct relayout_run *run);

/* Prints the outcome. Returns the exit status. */
int relayout_report(const struct relayout_run *run);
