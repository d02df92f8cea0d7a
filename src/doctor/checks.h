/* SPDX-License-Identifier: MIT */
/* The checks, how they report findings, and how they read the host. Internal to the layer and its tests. */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "doctor/doctor.h"
#include "elf/closure.h"
#include "elf/needs.h"
#include "plan/store/store.h"

/* Adds a finding. The three functions after this one extend the last finding. */
void doctor_say(struct doctor_report *report, enum doctor_severity severity, const char *subject,
	const char *what, ...) __attribute__((format(printf, 4, 5)));
void doctor_consequence(struct doctor_report *report, const char *text, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_mend(struct doctor_report *report, const char *command, ...)
	__attribute__((format(printf, 2, 3)));

void doctor_model(struct doctor_report *report, const struct device_model *model);

#define HOST_TEXT_MAX (1u << 20) /* bytes of a file in /proc, /sys or /etc that are read at most */

/* Builds the path below the root. Returns false if it is too long. */
bool host_path(const struct doctor_host *host, const char *path, char full[PATH_MAX]);

/* Reads a small file, NUL-terminated: *ret is the caller's. Returns 0 or negative errno. */
int host_read(const struct doctor_host *host, const char *path, char **ret);
bool host_exists(const struct doctor_host *host, const char *path);

/*
 * The number after `key` ("MemAvailable:", "some avg10=") in a file of such lines; "" stands for the file's beginning.
 */
bool host_number(const struct doctor_host *host, const char *path, const char *key, uint64_t *ret);

/* The folders of the user's plans on this host (plan/store/store.h). */
struct store host_store(const struct doctor_host *host);

/* Turns "2.36", "6.12.0-rc1" into 2036, 6012: major * 1000 + minor; 0 if it is not a version. */
unsigned doctor_version(const char *text);

/* Checks of the machine. */
void check_parts(const struct doctor_host *host, struct doctor_report *report);
void check_switches(const struct doctor_host *host, struct doctor_report *report);
void check_settings(const struct doctor_host *host, struct doctor_report *report);
void check_glibc(const struct doctor_host *host, struct doctor_report *report);
void check_kernel(const struct doctor_host *host, struct doctor_report *report);
void check_recording(const struct doctor_host *host, struct doctor_report *report);
void check_io_uring(const struct doctor_host *host, struct doctor_report *report);
void check_seccomp(const struct doctor_host *host, struct doctor_report *report);
void check_container(const struct doctor_host *host, struct doctor_report *report);
void check_disks(const struct doctor_host *host, struct doctor_report *report);
void check_memory(const struct doctor_host *host, struct doctor_report *report);
void check_preloads(const struct doctor_host *host, struct doctor_report *report);
void check_state(const struct doctor_host *host, struct doctor_report *report);
void check_plans(const struct doctor_host *host, struct doctor_report *report);

/* A program that was found. */
struct doctor_program {
	const char *command;       /* borrowed: as the user gave it */
	char path[PATH_MAX];       /* canonical, below the root */
	char *command_word;        /* owned; this and path_word are quoted for a shell */
	char *path_word;           /* owned */
	char executable[PATH_MAX]; /* the ELF file that runs: path, or a script's interpreter */
	bool is_script;
	bool is_relative;       /* a script whose interpreter is looked for where it is started */
	int interpreter_error;  /* of a script: negative errno if that interpreter cannot be executed */
	bool is_plain;          /* text without "#!" */
	struct elf_needs needs; /* of the executable; void where is_elf is not set */
	bool is_elf;
	struct elf_closure closure; /* empty where no glibc loader maps libraries */
};

/*
 * Finds a program, by a path or by a name to search in PATH, and fills in a zeroed *ret, which the caller releases,
 * also on failure. Returns 0, or -ENOENT or another negative errno if there is no such program.
 */
int doctor_program_find(const struct doctor_host *host, const char *command, struct doctor_program *ret);
void doctor_program_release(struct doctor_program *program);

static inline void doctor_program_releasep(struct doctor_program *program)
{
	doctor_program_release(program);
}

/* Whether a glibc loader reads LD_AUDIT for it. */
bool doctor_program_heeds_audit(const struct doctor_program *program);

/* The canonical path of an executable file, below the root. Returns 0 or negative errno. */
int doctor_canonical(const struct doctor_host *host, const char *path, char ret[PATH_MAX]);

/* Says how to record the program. */
void doctor_mend_by_recording(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);

/* Checks of a program. */
void check_kind(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
void check_rights(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
void check_wrapper(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
void check_libraries(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
void check_static_tls(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
void check_program_disks(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
void check_plan(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report);
