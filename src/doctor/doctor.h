/* SPDX-License-Identifier: MIT */
/*
 * Checks whether headstart will work and help, on this machine and for one program. Changes nothing and runs nothing.
 *
 * A check is a small function that reads the host and reports what it found; each subject has a file of its own here
 * (doctor/checks.h). Checks read files below a root, so that a test can bring a folder with a /proc of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

enum doctor_severity {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* worth knowing: something is slower, or left out */
	DOCTOR_PROBLEM, /* headstart does not work, or does harm */
};

struct doctor_finding {
	enum doctor_severity severity;
	const char *subject; /* static: "glibc" */
	char *what;          /* owned: one sentence that states the fact */
	char *consequence;   /* owned; NULL if it is obvious */
	char *mend;          /* owned; the exact command, or NULL */
	bool of_disk;        /* it is about a disk that was measured to be this: */
	struct device_model model;
};

struct doctor_report {
	struct doctor_finding *findings; /* owned, in the order of the checks */
	size_t n, capacity;
	bool out_of_memory; /* findings are missing */
};

/* What the checks look at. */
struct doctor_host {
	const char *root;                          /* a folder in front of all paths; "": none */
	const char *(*variable)(const char *name); /* the environment, as getenv(3) */
	const struct device_rule *rules;           /* borrowed: the settings' rules for devices */
	size_t n_rules;
	/* The device of a file or folder (its path below the root), by the rules too. Returns 0 or negative errno. */
	int (*device)(const struct doctor_host *host, const char *path, struct device *ret);
	/* Whether a server has that folder, and may not answer. NULL: none has. */
	bool (*is_served)(const struct doctor_host *host, const char *path);
	/*
	 * Why settings keep headstart from the program at this path; the caller frees it. NULL: they do not. The
	 * function may be NULL itself.
	 */
	char *(*denied)(const char *program);
	unsigned wrong_settings; /* lines and files of settings that are ignored */
	const char *kernel;      /* uname -r */
	const char *glibc;       /* of the dynamic linker: "2.36" */
	const char *private;     /* folder of the shim and the prefetcher */
	unsigned user;           /* effective */
	bool io_uring_built;     /* the prefetcher was built with liburing */
	int io_uring;            /* 0, or the negative errno of setting up a ring */
	int residency; /* 0, or the negative errno of asking the kernel what is cached of the root */
	int fanotify;  /* 0, or the negative errno of fanotify_init(2) as the recorder calls it */
};

/* This machine. */
void doctor_host_init(struct doctor_host *ret);

/* Appends the findings. Check report->out_of_memory: findings may be missing. */
void doctor_check_machine(const struct doctor_host *host, struct doctor_report *report);

/*
 * The same for a program, given by a path or by a name to search in PATH. Returns 0, or -ENOENT or another negative
 * errno, and no findings, if there is no such program.
 */
int doctor_check_program(const struct doctor_host *host, const char *command, struct doctor_report *report);

/* The plans in a folder. */
struct doctor_plans {
	size_t plans, starts; /* of programs, and of single starts */
	size_t stale; /* of both: the program, or much of the plan, has changed since the plan was made */
	size_t worn;  /* of both: the same, since the recording */
	size_t older; /* of both: an older headstart has made them, and this one cannot read them */
};

/* Counts them; in a folder that cannot be read there are none. */
void doctor_count_plans(const struct doctor_host *host, const char *folder, struct doctor_plans *ret);

size_t doctor_count(const struct doctor_report *report, enum doctor_severity severity);
const char *doctor_severity_name(enum doctor_severity severity); /* "ok", "note", "problem" */

void doctor_report_release(struct doctor_report *report);

static inline void doctor_report_releasep(struct doctor_report *report)
{
	doctor_report_release(report);
}
