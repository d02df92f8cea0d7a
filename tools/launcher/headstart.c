/* SPDX-License-Identifier: MIT */
/*
 * headstart: the command people type. `run`, `restore` and `boot prefetch` are built in, because they stand in front of cold work and must
 * be small; every other verb is handed to headstart-tool by exec.
 */
#include <stdio.h>

#include "base/files/standard-streams.h"
#include "base/strings.h"
#include "launcher/init.h"
#include "lib/options/suggest.h"
#include "prefetcher/tool-path.h"
#include "verb.h"

static int print_help(void)
{
	printf("usage: headstart VERB [OPTION…] …\n"
	       "Makes programs start faster from a cold page cache.\n"
	       "\n"
	       "verbs:\n");
	for (const struct verb *verb = verbs; verb->name; verb++)
		printf("  %-9s %s\n", verb->name, verb->help);
	printf("\n"
	       "options:\n"
	       "  -h, --help     print this\n"
	       "      --version  print the version\n"
	       "\n"
	       "'headstart help VERB' says more about each. First steps:\n"
	       "  headstart record -- PROGRAM     as root, once\n"
	       "  headstart run -- PROGRAM        from then on\n");
	return 0;
}

static int refuse_option(const char *word)
{
	struct suggestion suggestion = {.word = word};

	suggestion_offer(&suggestion, "--help");
	suggestion_offer(&suggestion, "--version");
	if (suggestion.nearest)
		verb_fail("unknown option '%s' (did you mean '%s'?); see 'headstart --help'", word,
			suggestion.nearest);
	else
		verb_fail("unknown option '%s'; see 'headstart --help'", word);
	return VERB_USAGE;
}

static int refuse_verb(const char *word)
{
	struct suggestion suggestion = {.word = word};

	for (const struct verb *verb = verbs; verb->name; verb++)
		suggestion_offer(&suggestion, verb->name);
	if (suggestion.nearest)
		verb_fail("unknown verb '%s' (did you mean '%s'?); see 'headstart --help'", word,
			suggestion.nearest);
	else if (!*word)
		verb_fail("unknown verb ''; see 'headstart --help'");
	else
		verb_fail(
			"unknown verb '%s'; see 'headstart --help'. To start a program: 'headstart run -- %s'",
			word, word);
	return VERB_USAGE;
}

/* `argv[1]` is the verb. */
static int run_verb(int argc, char **argv)
{
	const struct verb *verb = verb_find(argv[1]);

	if (!verb)
		return argv[1][0] == '-' ? refuse_option(argv[1]) : refuse_verb(argv[1]);
	if (verb->run)
		return verb->run(argc - 1, argv + 1);
	return verb_fail_errno(exec_tool(argv), "cannot start '%s'", HEADSTART_PRIVATE_DIR "/headstart-tool");
}

/* 'headstart help VERB' is 'headstart VERB --help'. */
static int help_of(char *program, char *verb)
{
	char *argv[] = {program, verb, (char *)"--help", NULL};

	return run_verb(3, argv);
}

static bool is_help(const char *word)
{
	return streq(word, "--help") || streq(word, "-h");
}

static int run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	bool help;

	if (!word) {
		fputs("headstart: no verb given; see 'headstart --help'\n", stderr);
		return VERB_USAGE;
	}
	help = streq(word, "help") || is_help(word);
	if (help && argc > 3) {
		fputs("headstart: 'help' takes one verb; see 'headstart --help'\n", stderr);
		return VERB_USAGE;
	}
	if (help && argc > 2 && !is_help(argv[2]))
		return help_of(argv[0], argv[2]);
	if (help)
		return print_help();
	if (streq(word, "--version")) {
		puts("headstart " HEADSTART_VERSION);
		return 0;
	}
	return run_verb(argc, argv);
}

int main(int argc, char **argv)
{
	int status;

	standard_streams_hold(false);
	status = init_is(argv[0]) ? init_run(argc, argv) : run(argc, argv);
	return status ? status : verb_flush();
}
