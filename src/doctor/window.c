/* SPDX-License-Identifier: MIT */
/*
 * Whether a program opens a window: a desktop entry (Desktop Entry Specification 1.5) starts it, and not in a terminal.
 * Such a program does not end by itself when its start is over.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "doctor/checks.h"

#define ENTRIES     "/usr/share/applications"
#define ENTRIES_MAX 2000 /* a folder with more is searched so far */

/* Whether the path below the root leads to the program. */
static bool leads_to(const struct doctor_host *host, const char *path, const struct doctor_program *program)
{
	char canonical[PATH_MAX];

	return doctor_canonical(host, path, canonical) == 0 && streq(canonical, program->path);
}

/* What follows "Exec=": the first word is a path, or a name. */
static bool starts(const struct doctor_host *host, const char *command, const struct doctor_program *program)
{
	char word[PATH_MAX], path[PATH_MAX];
	size_t length = strcspn(command, " \t\n");

	if (length == 0 || length >= sizeof(word))
		return false;
	memcpy(word, command, length);
	word[length] = '\0';
	if (word[0] == '/')
		return leads_to(host, word, program);
	return (size_t)snprintf(path, sizeof(path), "/usr/bin/%s", word) < sizeof(path) &&
		leads_to(host, path, program);
}

static bool entry_starts(
	const struct doctor_host *host, const char *name, const struct doctor_program *program)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX];
	bool found = false;

	if ((size_t)snprintf(path, sizeof(path), ENTRIES "/%s", name) >= sizeof(path) ||
		host_read(host, path, &text) < 0)
		return false;
	for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *command = after_prefix(line, "Exec=");

		if (streq(line, "Terminal=true") || streq(line, "NoDisplay=true"))
			return false;
		if (command && !found)
			found = starts(host, command, program);
	}
	return found;
}

/* Whether it opens a window, and so does not end when its start is over. */
static bool has_window(const struct doctor_host *host, const struct doctor_program *program)
{
	_cleanup_closedir_ DIR *folder = NULL;
	char path[PATH_MAX];
	struct dirent *entry;

	folder = host_path(host, ENTRIES, path) ? opendir(path) : NULL;
	for (int n = 0; folder && n < ENTRIES_MAX && (entry = readdir(folder)); n++)
		if (ends_with(entry->d_name, ".desktop") && entry_starts(host, entry->d_name, program))
			return true;
	return false;
}

void doctor_mend_by_recording(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	doctor_mend(report, "sudo headstart record %s-- %s",
		has_window(host, program) ? "--until idle:3 --kill " : "", program->command_word);
}
