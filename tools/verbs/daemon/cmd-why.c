/* SPDX-License-Identifier: MIT */
/* headstart why: what the daemon knows of a program, and so does at its next start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/strings.h"
#include "base/texts/daemon-note.h"
#include "base/times.h"
#include "format/kill-switch.h"
#include "learn/habits.h"
#include "learn/known.h"
#include "lib/files/stranger-refusal.h"
#include "lib/print/page-style.h"
#include "lib/programs/named-program.h"
#include "lib/settings/settings.h"
#include "plan/store/store.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/daemon/daemon.h"
#include "verbs/daemon/learnt.h"
#include "verbs/daemon/note.h"

static const char help[] =
	"usage: headstart why [OPTION…] PROGRAM\n"
	"Says what headstartd knows of PROGRAM, and what it does when PROGRAM is started.\n"
	"\n"
	"options:\n"
	"  -h, --help  print this\n";

static void print_starts(const struct known_program *program)
{
	char bytes[WORDS_MAX];

	if (!program) {
		puts("starts   no cold start was seen");
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
		printf("keys     %zu kind%s of starts %s learnt, %zu more %s cold\n", learnt, plural(learnt),
			plural_of(learnt, "is", "are"), cold, plural_of(cold, "was", "were"));
}

/* Where the program stands among those that are likely to be started now; 0: nowhere. */
static size_t place_of(const struct habits *habits, const char *program, size_t *ret_n)
{
	const struct habit *likely[HABITS_MAX];
	size_t place = 0;

	*ret_n = habits_choose(habits, local_seconds(), likely, HABITS_MAX);
	for (size_t i = 0; i < *ret_n && !place; i++)
		if (streq(likely[i]->path, program))
			place = i + 1;
	return place;
}

static void print_habit(const struct habits *habits, const char *program)
{
	const struct habit *habit = habits_find(habits, program);
	char when[WORDS_MAX];
	size_t n, place = place_of(habits, program, &n);

	if (!place)
		fputs("habit    none: nothing is read ahead of its next start", stdout);
	else
		printf("habit    number %zu of the %zu program%s that %s likely to be started at this hour",
			place, n, plural(n), plural_of(n, "is", "are"));
	if (habit && habit->warmed)
		printf("; warmed %s", words_time(habit->warmed, when));
	putchar('\n');
}

static const char *what_follows(
	const struct known_program *program, bool planned, bool recorded, bool never_learn)
{
	_cleanup_free_ char *note = note_read();

	if (!note)
		return "nothing: headstartd is not running";
	if (access(KILL_SWITCH, F_OK) == 0)
		return "nothing: " KILL_SWITCH " switches headstart off";
	if (access(DAEMON_PAUSED, F_OK) == 0)
		return "nothing: the daemon is paused ('headstart resume' ends that)";
	if (planned)
		return "its plan is carried out when it starts cold";
	if (never_learn)
		return "nothing: the settings switch learning off ('learn = no')";
	if (!note_number(note, "learning"))
		return "nothing: headstartd does not learn; it was started with --no-learn, or its journal says why";
	if (!program)
		return "it is looked at: a cold start would be noted";
	if (program->learnt && recorded)
		return "nothing: its recording has no plan ('sudo headstart plan --program …' makes one)";
	if (program->learnt)
		return "it is looked at: what was learnt of it was removed, and a cold start would be noted anew";
	if (known_wants_trace(program, time(NULL)))
		return "its next start is traced";
	return "nothing for now: it is seldom cold, or was traced in vain";
}

static int say(const char *program)
{
	_cleanup_free_ char *plan = NULL, *profile = NULL, *why = NULL;
	_cleanup_(config_releasep) struct config config = {0};
	const struct known_program *found;
	_cleanup_(habits_releasep) struct habits habits = {0};
	_cleanup_(known_releasep) struct known known = {0};
	int r = learnt_read("known", &known_format, &known, false);

	if (r == 0)
		r = learnt_read("habits", &habits_format, &habits, false);
	if (r != 0)
		return r;
	found = known_find(&known, program, 0);
	(void)store_find(STORE_PLAN, program, &plan);
	(void)store_find(STORE_PROFILE, program, &profile);
	settings_read(&config, false, false);
	page_line("program  ", program, "");
	page_line("plan     ", plan ? plan : "none", plan && found && found->learnt ? ", learnt" : "");
	print_starts(found);
	print_keys(&known, program);
	print_habit(&habits, program);
	if (!settings_allow(&config, program, &why))
		page_line("next     nothing: ", why ? why : "the settings deny it", "");
	else
		printf("next     %s\n", what_follows(found, plan, profile, config.never_learn));
	return verb_flush();
}

int cmd_why(int argc, char **argv)
{
	_cleanup_free_ char *program = NULL;
	int status;

	if (!daemon_options(argc, argv, help, 1, &status))
		return status;
	if (geteuid() != 0)
		return verb_fail("only root can read what the daemon knows: sudo headstart why …");
	status = refuse_strange_state();
	if (status == 0)
		status = program_named(argv[optind], &program);
	return status ? status : say(program);
}
