/* SPDX-License-Identifier: MIT */
/*
 * Whether headstart will work and help: on this machine, and for one program. Looks only; changes nothing,
 * runs nothing.
 *
 * A check is a small function that reads the host and says what it found; each subject has a file of its own
 * here (doctor/checks.h). What they read lies below a root, so that a test brings a folder with a /proc of
 * its own.
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
	char *what;          /* owned: one sentence, what is so */
	char *consequence;   /* owned; NULL where it needs no saying */
	char *mend;          /* owned; the exact command, or NULL */
};

struct doctor_report {
	struct doctor_finding *findings; /* owned, in the order of the checks */
	size_t n, capacity;
	bool out_of_memory; /* findings are missing */
};

/* What is looked at. */
struct doctor_host {
	const char *root;                          /* a folder in front of all paths; "": none */
	const char *(*variable)(const char *name); /* the environment, as getenv(3) */
	const struct device_rule *rules;           /* borrowed: what settings say of devices */
	size_t n_rules;
	/* What a file or folder (its path below the root) lies on, the rules heeded. Returns 0 or negative
	 * errno. */
	int (*device)(const struct doctor_host *host, const char *path, struct device *ret);
	/* Why settings keep headstart from the program at this path: the caller's; NULL: they do not. May be
	 * NULL itself. */
	char *(*denied)(const char *program);
	unsigned wrong_settings; /* lines and files of settings that are ignored */
	const char *kernel;      /* uname -r */
	const char *glibc;       /* of the dynamic linker: "2.36" */
	const char *private;     /* folder of the shim and the prefetcher */
	unsigned user;           /* effective */
	int io_uring;            /* 0, or the negative errno of setting up a ring */
	int fanotify;            /* the same of fanotify_init(2) with what the recorder asks of it */
};

/* This machine. */
void doctor_host_init(struct doctor_host *ret);

/* Appends what there is to say. Whether all of it was said is report->out_of_memory's to tell. */
void doctor_check_machine(const struct doctor_host *host, struct doctor_report *report);

/* The same of a program, a path or a name to be searched in PATH. Returns 0, or -ENOENT or another negative
 * errno with nothing said where there is no such program. */
int doctor_check_program(const struct doctor_host *host, const char *command, struct doctor_report *report);

size_t doctor_count(const struct doctor_report *report, enum doctor_severity severity);
const char *doctor_severity_name(enum doctor_severity severity); /* "ok", "note", "problem" */

void doctor_report_release(struct doctor_report *report);

static inline void doctor_report_releasep(struct doctor_report *report)
{
	doctor_report_release(report);
}
