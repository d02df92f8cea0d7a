/* SPDX-License-Identifier: MIT */
/* What a recording gathers before it becomes a profile: the kernel's events, and the files of these events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"
#include "timeline/moment.h"

enum record_event_kind {
	RECORD_TOUCH,  /* a fault, or a read(): these pages were asked for */
	RECORD_MAPPED, /* fault-around mapped the resident ones of these pages */
	RECORD_ADDED,  /* these pages entered the page cache */
	RECORD_FOUND, /* a process had mapped or read these pages before it was traced: perhaps like RECORD_MAPPED */
};

struct record_event {
	uint64_t time; /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t inode;
	uint32_t device; /* the superblock's, as the kernel packs it: major << 20 | minor */
	uint32_t first;  /* pages */
	uint32_t last;   /* pages, inclusive; may lie past the end of the file */
	int32_t pid;     /* thread, in the kernel's own numbering */
	enum record_event_kind kind;
};

/* A request to a disk, of whomever, was issued or is done. */
struct record_request {
	uint64_t time;   /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t sector; /* of 512 bytes, on the whole disk */
	uint32_t sectors;
	uint32_t device; /* the disk: major << 20 | minor */
	bool done;
	bool reads; /* it was issued to read */
};

/* The start of a program, or another change of a process that has a path. */
struct record_exec {
	uint64_t time;
	int32_t pid;
	char *path; /* owned; as passed to execve until it is resolved; or that of a control group */
};

struct record_trace {
	struct record_event *events; /* owned */
	size_t n_events, events_capacity;
	struct record_exec *execs; /* owned */
	size_t n_execs, execs_capacity;
	int32_t *pids; /* owned; processes and threads of the command's tree, in the kernel's own numbering */
	size_t n_pids, pids_capacity;
	struct record_exec
		*groups; /* owned; processes that were put into a control group; its path in its hierarchy */
	size_t n_groups, groups_capacity;
	struct record_request *requests; /* owned */
	size_t n_requests, requests_capacity;
	struct timeline_moment *moments; /* owned; for a timeline */
	size_t n_moments, moments_capacity;
	size_t events_max;  /* more events are dropped; 0: more than any recording should need */
	size_t moments_max; /* the same of moments */
	bool lost;          /* the kernel dropped events, or we did */
	bool requests_lost; /* it dropped some of disks */
};

/* A file that was opened, or that lies on the path to one. */
struct record_file {
	char *path; /* owned; absolute, as seen from our root */
	enum profile_kind kind;
	uint32_t device; /* as in struct record_event; 0 where any device fits (overlayfs) */
	uint64_t inode;
	uint64_t pages;  /* size at the end of the recording */
	uint64_t opened; /* nanoseconds, CLOCK_MONOTONIC */
	bool by_tree;    /* the command's tree opened it, perhaps among others */
	int32_t opener;  /* who opened it last and was not known to belong to the tree */
	uint8_t *
		resident; /* owned; a byte for each page, bit 0 as mincore(2) has it; NULL where not looked up */
	dev_t st_dev;     /* from stat; on btrfs this is not the superblock's */
	bool ambiguous; /* another file has the same device and inode (subvolumes): events fit both */
	bool own;       /* it is a user's own: nobody may look where its path leads (struct opens) */
};

struct record_files {
	struct record_file *items; /* owned */
	size_t count, capacity;
};

int record_trace_add_event(struct record_trace *trace, const struct record_event *event);
int record_trace_add_request(struct record_trace *trace, const struct record_request *request);
int record_trace_add_moment(struct record_trace *trace, const struct timeline_moment *moment);
/* Takes a copy of the path. */
int record_trace_add_exec(struct record_trace *trace, uint64_t time, int32_t pid, const char *path);
/* The same of a process that is put into a control group. */
int record_trace_add_group(struct record_trace *trace, uint64_t time, int32_t pid, const char *path);
void record_trace_drop_groups(struct record_trace *trace);
void record_trace_drop_execs(struct record_trace *trace);
int record_trace_add_pid(struct record_trace *trace, int32_t pid);
void record_trace_release(struct record_trace *trace);

/* Adds an empty file. *ret points to it until the next one is added. */
int record_files_add(struct record_files *files, struct record_file **ret);
void record_file_release(struct record_file *file);
void record_files_release(struct record_files *files);
