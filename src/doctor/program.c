/* SPDX-License-Identifier: MIT */
/* A program found as a shell would find it, and what it is: script or ELF, whose loader, with which rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/preload-text.h"
#include "base/quote.h"
#include "base/search.h"
#include "base/strings.h"
#include "doctor/checks.h"
#include "elf/script.h"

static void (*const program_checks[])(const struct doctor_host *host, const struct doctor_program *program,
	struct doctor_report *report) = {
	check_kind,
	check_wrapper,
	check_rights,
	check_libraries,
	check_static_tls,
	check_program_disks,
	check_plan,
};

/* The canonical path below the root of a file that can be executed. */
static int canonical(const struct doctor_host *host, const char *path, char ret[PATH_MAX])
{
	_cleanup_free_ char *resolved = NULL, *root = NULL;
	char full[PATH_MAX];
	struct stat st;
	size_t length;

	if (!host_path(host, path, full))
		return -ENAMETOOLONG;
	if (stat(full, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0)
		return -EACCES;
	resolved = realpath(full, NULL);
	root = realpath(*host->root ? host->root : "/", NULL);
	if (!resolved || !root)
		return -errno;
	length = streq(root, "/") ? 0 : strlen(root);
	if (strncmp(resolved, root, length) != 0 || resolved[length] != '/')
		return -EXDEV;
	snprintf(ret, PATH_MAX, "%s", resolved + length);
	return 0;
}

struct candidate {
	const struct doctor_host *host;
	char *path; /* PATH_MAX bytes: the canonical path of the one that is found */
};

/* search_check: what a relative folder leads to depends on where one is. */
static int check_candidate(void *context, const char *path)
{
	struct candidate *candidate = context;

	return path[0] == '/' ? canonical(candidate->host, path, candidate->path) : -ENOENT;
}

static int find_program(const struct doctor_host *host, const char *command, char ret[PATH_MAX])
{
	const char *folders = host->variable("PATH");
	struct candidate candidate = {host, ret};
	char path[PATH_MAX];

	if (!*command)
		return -ENOENT;
	if (command[0] == '/')
		return canonical(host, command, ret);
	if (strchr(command, '/')) {
		_cleanup_free_ char *here = *host->root ? NULL : realpath(command, NULL);

		return here ? canonical(host, here, ret) : -ENOENT;
	}
	if (search_folders(folders && *folders ? folders : SEARCH_DEFAULT, command, check_candidate,
		    &candidate, path) < 0)
		return -ENOENT;
	return 0;
}

static bool interpreter_below(const struct doctor_host *host, const char *path, char interpreter[SCRIPT_HEAD])
{
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];

	if (!host_path(host, path, full))
		return false;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd >= 0 && script_interpreter(fd, interpreter) && interpreter[0] == '/';
}

/* Text without "#!", which shells run where the kernel says ENOEXEC. A NUL in the first line is what bash
 * knows other files by. */
static bool is_plain(int fd)
{
	char line[SCRIPT_HEAD];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);

	if (n < 0)
		return false;
	line[n] = '\0';
	return !after_prefix(line, "\177ELF") && !after_prefix(line, "#!") &&
		(strchr(line, '\n') || strlen(line) == (size_t)n);
}

static void read_executable(const struct doctor_host *host, struct doctor_program *program)
{
	_cleanup_free_ char *preloads = NULL;
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];

	if (!host_path(host, program->executable, full))
		return;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	program->is_elf = fd >= 0 && elf_needs_read(fd, &program->needs) == 0;
	program->is_plain = fd >= 0 && !program->is_script && is_plain(fd);
	if (!program_heeds_audit(program))
		return;
	program->closure.root = host->root;
	program->closure.library_path = host->variable("LD_LIBRARY_PATH");
	elf_closure_add(&program->closure, program->executable);
	elf_closure_add_list(&program->closure, host->variable("LD_PRELOAD"));
	if (host_read(host, PRELOAD_FILE, &preloads) == 0)
		elf_closure_add_list(&program->closure, preloads);
}

int doctor_check_program(const struct doctor_host *host, const char *command, struct doctor_report *report)
{
	struct doctor_program program = {.command = command};
	char interpreter[SCRIPT_HEAD];
	int r = find_program(host, command, program.path);

	if (r < 0)
		return r;
	strcpy(program.executable, program.path);
	for (int i = 0; i < SCRIPT_DEPTH && interpreter_below(host, program.executable, interpreter); i++) {
		program.is_script = true;
		program.interpreter_error = canonical(host, interpreter, program.executable);
		if (program.interpreter_error < 0) {
			strcpy(program.executable, interpreter);
			break;
		}
	}
	read_executable(host, &program);
	program.command_word = quoted_shell(command);
	program.path_word = quoted_shell(program.path);
	if (!program.command_word || !program.path_word)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < sizeof(program_checks) / sizeof(program_checks[0]); i++)
		program_checks[i](host, &program, report);
	free(program.command_word);
	free(program.path_word);
	elf_needs_release(&program.needs);
	elf_closure_release(&program.closure);
	return r;
}

bool program_heeds_audit(const struct doctor_program *program)
{
	return program->is_elf && !program->needs.is_32bit && program->needs.interpreter &&
		!strstr(program->needs.interpreter, "/ld-musl-");
}

/* Why no shim can be loaded into the executable, or NULL. */
static const char *shimless(const struct doctor_program *program)
{
	if (!program->is_elf)
		return "is not an ELF file, or a damaged one";
	if (program->needs.is_32bit)
		return "is a 32-bit program";
	if (program->needs.interpreter && strstr(program->needs.interpreter, "/ld-musl-"))
		return "is linked to musl, whose loader ignores LD_AUDIT";
	if (!program->needs.interpreter && program->needs.is_go)
		return "is a Go program without dynamic linker";
	if (!program->needs.interpreter)
		return "is linked statically: no dynamic linker takes part in its start";
	return NULL;
}

static void say_not_elf(const struct doctor_program *program, const char *why, struct doctor_report *report)
{
	if (program->is_plain) {
		doctor_say(report, DOCTOR_NOTE, "program", "'%s' has no '#!' and is not an ELF file",
			program->path);
		doctor_consequence(report,
			"the kernel does not execute it; shells, 'headstart run' and other users of "
			"execvp(3) run it by '/bin/sh', everything else fails");
		return;
	}
	if (program->interpreter_error < 0)
		doctor_say(report, DOCTOR_PROBLEM, "program", "'%s' is a script whose interpreter '%s' %s",
			program->path, program->executable,
			program->interpreter_error == -ENOENT ? "is missing" : "cannot be executed");
	else
		doctor_say(report, DOCTOR_PROBLEM, "program", "'%s' %s",
			program->is_script ? program->executable : program->path, why);
	doctor_consequence(report, "it cannot be started, with or without headstart");
}

void check_kind(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	const char *why = shimless(program);
	const char *kind = program->is_script ? "a script, run by" : "a dynamic program:";

	if (!why) {
		doctor_say(report, DOCTOR_OK, "program", "'%s' is %s '%s'", program->path, kind,
			program->is_script ? program->executable : program->needs.interpreter);
		if (program->is_script)
			doctor_consequence(
				report, "its plan covers the interpreter and what the script starts");
		return;
	}
	if (!program->is_elf) {
		say_not_elf(program, why, report);
		return;
	}
	doctor_say(report, DOCTOR_NOTE, "program", "'%s' %s",
		program->is_script ? program->executable : program->path, why);
	doctor_consequence(report, "the audit shim can do nothing for it; 'headstart run' works");
	doctor_mend(report, "headstart run -- %s", program->command_word);
}

void check_rights(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	char full[PATH_MAX];
	struct stat st;
	const char *right = NULL;

	if (!host_path(host, program->path, full) || stat(full, &st) < 0)
		return;
	if (st.st_mode & S_ISUID)
		right = "is set-user-ID";
	else if (st.st_mode & S_ISGID)
		right = "is set-group-ID";
	else if (getxattr(full, "security.capability", NULL, 0) > 0)
		right = "has file capabilities";
	if (!right)
		return;
	doctor_say(report, DOCTOR_NOTE, "program", "'%s' %s", program->path, right);
	doctor_consequence(
		report, "the loader ignores LD_AUDIT, and the shims do nothing in it; 'headstart run' works");
	doctor_mend(report, "headstart run -- %s", program->command_word);
}

/* Starters of sandboxes: the program proper runs elsewhere, in a tree of files of its own. */
void check_wrapper(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	_cleanup_free_ char *text = NULL;
	const char *base = strrchr(program->path, '/') + 1, *what = NULL;

	if (after_prefix(program->path, "/snap/") || streq(base, "snap"))
		what = "a Snap";
	else if (strstr(program->path, "/flatpak/exports/bin/") || streq(base, "flatpak"))
		what = "a Flatpak";
	else if (streq(base, "bwrap") || streq(base, "firejail") || streq(base, "docker") ||
		streq(base, "podman"))
		what = "a sandbox or container";
	else if (program->is_script && host_read(host, program->path, &text) == 0) {
		if (strstr(text, "flatpak run"))
			what = "a Flatpak";
		else if (strstr(text, "/snap/bin/") || strstr(text, "snap run"))
			what = "a Snap";
	}
	if (!what)
		return;
	doctor_say(report, DOCTOR_NOTE, "program", "'%s' starts %s", program->command, what);
	doctor_consequence(report,
		"the actual program runs from its own files with its own loader, often under a seccomp "
		"filter: the shims do nothing there, and headstart helps only with what the starter itself "
		"touches");
}
