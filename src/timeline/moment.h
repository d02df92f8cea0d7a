/* SPDX-License-Identifier: MIT */
/* What the kernel reports of the threads of a start, one event after the other. A timeline is made of these (build.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What sched_switch says of the thread that leaves a processor: include/linux/sched.h. */
#define MOMENT_SLEEPS  0x1u  /* until something happens, or a signal comes */
#define MOMENT_BLOCKED 0x7u  /* sleeps, cannot be interrupted, is stopped */
#define MOMENT_ENDED   0x30u /* EXIT_DEAD, EXIT_ZOMBIE */

#define MOMENT_SHARES_THREAD 0x00010000u /* of the flags of clone(2): CLONE_THREAD */

#define MOMENT_NO_CALL INT64_C(-1) /* of a MOMENT_CALL: not known */

#define MOMENT_NARROW 1u /* of a MOMENT_EXEC: a 32-bit program, whose system calls have other numbers */

#define MOMENT_TID_MAX (4u << 20) /* of pid_max: Documentation/admin-guide/sysctl/kernel.rst */

enum timeline_moment_kind {
	MOMENT_SWITCH, /* a processor goes from `thread` to `other` */
	MOMENT_WAKING, /* `other` can run again */
	MOMENT_NEW,    /* `thread` has made the thread `other` */
	MOMENT_CALL,   /* a system call begins */
	MOMENT_TOUCH,  /* pages are asked for: a fault, or a read */
	MOMENT_MAPPED, /* those of these pages that are in memory are mapped around a touched one */
	MOMENT_ADDED,  /* pages are put into the page cache, and will be read */
	MOMENT_ASKED,  /* a disk is asked to read */
	MOMENT_EXEC,   /* `thread` has executed a program */
};

enum timeline_context {
	CONTEXT_THREAD,
	CONTEXT_HARD,
	CONTEXT_SOFT
}; /* of an event: interrupts happen in any thread */

struct timeline_moment {
	uint64_t time;  /* nanoseconds, CLOCK_MONOTONIC */
	int32_t thread; /* that was on the processor */
	int32_t other;
	uint8_t kind;    /* enum timeline_moment_kind */
	uint8_t context; /* enum timeline_context */
	union {
		struct {
			char name[16];  /* of `thread`, NUL-terminated */
			uint32_t state; /* of `thread` from now on: MOMENT_SLEEPS … */
		};
		uint64_t flags; /* MOMENT_NEW: of clone(2); MOMENT_EXEC: as below */
		int64_t call;   /* MOMENT_CALL: its number */
		struct {
			uint64_t inode;
			uint32_t device;      /* the superblock's: major << 20 | minor */
			uint32_t first, last; /* pages, inclusive */
		};
		struct {
			uint64_t sector; /* of 512 bytes, on the whole disk */
			uint32_t disk;   /* major << 20 | minor */
			uint32_t sectors;
		};
	};
};
