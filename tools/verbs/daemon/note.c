/* SPDX-License-Identifier: MIT */
#include "verbs/daemon/note.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process-file.h"
#include "base/strings.h"
#include "base/texts/daemon-note.h"

/*
 * The process of that number is the daemon, and not another one that has the number now. Where /proc hides others' processes
 * (hidepid=), only that there is one can be seen.
 */
static bool is_daemon(uint64_t pid)
{
	_cleanup_free_ char *name = NULL;

	if (pid == 0 || pid > INT32_MAX)
		return false;
	if (process_read((pid_t)pid, 64, &name, NULL, "comm") == 0)
		return streq(name, DAEMON_NAME "\n");
	return kill((pid_t)pid, 0) < 0 && errno == EPERM;
}

uint64_t note_number(const char *note, const char *name)
{
	char key[32];
	uint64_t number = 0;

	snprintf(key, sizeof(key), "%s:", name);
	(void)number_of_line(note, key, &number);
	return number;
}

char *note_read(void)
{
	_cleanup_free_ char *note = NULL;
	size_t size;

	if (read_pseudo_file(DAEMON_NOTE, DAEMON_NOTE_MAX, &note, &size) < 0 ||
		!is_daemon(note_number(note, "pid")))
		return NULL;
	return TAKE_PTR(note);
}
