/* SPDX-License-Identifier: MIT */
/* headstart why: what the daemon knows of a program, and so does at its next start. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/daemon-note.h"
#include "base/io.h"
#include "base/strings.h"
#include "format/kill-switch.h"
#include "learn/known-file.h"
#include "lib/page-style.h"
#include "lib/settings.h"
#include "lib/stranger-refusal.h"
#include "plan/store/store.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/daemon/daemon.h"

static const char help[] =
	"usage: headstart why [OPTION…] PROGRAM\n"
	"Says what headstartd knows of PROGRAM, and what it does when PROGRAM is started.\n"
	"\n"
	"options:\n"
	"  -h, --help  print this\n";

/* Returns 0, or an exit status after printing the reason. */
static int read_known(struct known *known)
{
	_cleanup_free_ char *folder = NULL, *path = NULL, *data = NULL;
	size_t size;
	int r = store_folder(&folder);

	if (r == 0 && asprintf(&path, "%s/learn/known", folder) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = read_file(path, KNOWN_FILE_MAX, &data, &size);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return verb_fail_errno(r, "cannot read what the daemon knows");
	switch (known_parse(data, size, known)) {
	case KNOWN_NEWER:
		return verb_fail("'%s' was written by a newer headstart", path);
	case KNOWN_DAMAGED:
		return verb_fail("'%s' is damaged: the daemon begins it anew", path);
	case KNOWN_GOOD:
		break;
	}
	return 0;
}

static void print_starts(const struct known_program *program)
{
	char bytes[WORDS_MAX];

	if (!program) {
		puts("starts   none was cold while the daemon looked on");
		return;
	}
	printf("starts   %u since the first cold one, %u of them cold; the last cold one read %s\n",
		program->starts, program->cold, words_bytes(program->bytes, bytes));
}

/* Of a host, the starts that are told apart by their arguments. */
static void print_keys(const struct known *known, const char *program)
{
	size_t learnt = 0, cold = 0;

	for (size_t i = 0; i < known->n; i++)
		if (known->items[i].key && streq(known->items[i].path, program))
			known->items[i].learnt ? learnt++ : cold++;
	if (learnt + cold > 0)
		printf("keys     %zu kinds of starts are learnt, %zu more were cold\n", learnt, cold);
}

static const char *what_follows(const struct known_program *program, bool planned)
{
	if (access(KILL_SWITCH, F_OK) == 0)
		return "nothing: " KILL_SWITCH " switches headstart off";
	if (access(DAEMON_PAUSED, F_OK) == 0)
		return "nothing: the daemon is paused ('headstart resume' ends that)";
	if (planned)
		return "its plan is carried out when it starts cold";
	if (!program)
		return "it is looked at: a cold start would be noted";
	if (known_wants_trace(program, time(NULL)))
		return "its next start is traced";
	return "nothing for now: it is seldom cold, or was traced in vain";
}

static int say(const char *program)
{
	_cleanup_free_ char *plan = NULL, *why = NULL;
	_cleanup_(config_releasep) struct config config = {0};
	const struct known_program *found;
	struct known known = {0};
	int r = read_known(&known);

	if (r != 0)
		return r;
	found = known_find(&known, program, 0);
	(void)store_find(STORE_PLAN, program, &plan);
	settings_read(&config, false, false);
	page_line("program  ", program, "");
	page_line("plan     ", plan ? plan : "none", plan && found && found->learnt ? ", learnt" : "");
	print_starts(found);
	print_keys(&known, program);
	if (!settings_allow(&config, program, &why))
		page_line("next     nothing: ", why ? why : "the settings deny it", "");
	else
		printf("next     %s\n", what_follows(found, plan));
	known_release(&known);
	return fflush(stdout) == 0 ? 0 : verb_fail_errno(errno, "cannot write to standard output");
}

int cmd_why(int argc, char **argv)
{
	_cleanup_free_ char *program = NULL;
	int status, r;

	if (!daemon_options(argc, argv, help, 1, &status))
		return status;
	if (geteuid() != 0)
		return verb_fail("only root can read what the daemon knows: sudo headstart why …");
	status = refuse_strange_state();
	if (status != 0)
		return status;
	r = store_program_path(argv[optind], &program);
	if (r < 0)
		return verb_fail_errno(r, "'%s' cannot be run", argv[optind]);
	return say(program);
}
