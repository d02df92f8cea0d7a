/* SPDX-License-Identifier: MIT */
/*
 * headstart: the command people type. `run` is built in, because it stands in front of a cold start and must
 * be small; every other verb is handed to headstart-tool by exec.
 */
#include <stdio.h>
#include <string.h>

#include "tool-path.h"
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
	       "'headstart VERB --help' says more about each. First steps:\n"
	       "  headstart record -- PROGRAM     as root, once\n"
	       "  headstart run -- PROGRAM        from then on\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct verb *verb;

	if (!word) {
		fputs("headstart: no verb given; see 'headstart --help'\n", stderr);
		return VERB_USAGE;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return print_help();
	if (strcmp(word, "--version") == 0) {
		puts("headstart " HEADSTART_VERSION);
		return 0;
	}
	verb = verb_find(word);
	if (!verb) {
		fprintf(stderr, "headstart: unknown verb '%s'; see 'headstart --help'\n", word);
		return VERB_USAGE;
	}
	if (verb->run)
		return verb->run(argc - 1, argv + 1);
	return verb_fail_errno(exec_tool(argv), "cannot start '%s'", HEADSTART_PRIVATE_DIR "/headstart-tool");
}
