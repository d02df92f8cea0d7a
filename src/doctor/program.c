/* SPDX-License-Identifier: MIT */
/*
 * Checks what a program is: script or ELF, which loader and which rights it has, and whether it only starts another
 * one.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "doctor/checks.h"

/* Why the loader cannot load a shim into the executable, or NULL. */
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
	if (program->is_relative) {
		doctor_say(report, DOCTOR_NOTE, "program",
			"'%s' is a script whose interpreter '%s' is looked for in the current folder",
			program->path, program->executable);
		doctor_consequence(report,
			"with or without headstart it can only be started in a folder that has the interpreter");
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

/* Programs that start sandboxes: the actual program runs elsewhere, in a tree of files of its own. */
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
