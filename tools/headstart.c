/* SPDX-License-Identifier: MIT */
/*
 * headstart: the command people type. `run` is built in, because it stands in front of a cold start and must
 * be small; every other verb is handed to headstart-tool by exec.
 */
#include <stdio.h>
#include <string.h>

#include "tool-path.h"
#include "verb.h"

struct summary {
	const char *verb, *text;
};

static const struct summary summaries[] = {
	{"record", "start a program and write down what its start touches"},
	{"run", "read ahead what a program's start touches, then start it"},
	{"plan", "compile a profile for this machine's disk"},
	{"show", "print a profile or a plan"},
	{"merge", "one profile from several recordings"},
	{"relayout", "put what a start touches of an ELF file together"},
	{"verify", "prove that relaid files are what their originals were"},
	{"undo", "make relaid files their originals again"},
	{"order", "write a profile as an ordering file for a linker"},
	{"install", "have programs started with headstart without typing it"},
	{"uninstall", "take back what install did, exactly"},
	{"doctor", "whether headstart will work and help here, and what to mend"},
	{"config", "check settings, and put them into the plans there are"},
	{"status", "what is installed, switched off, recorded"},
	{"mark", "tell a running 'headstart record' that the start is over"},
};

#define N_SUMMARIES (sizeof(summaries) / sizeof(*summaries))

static int print_help(void)
{
	printf("usage: headstart VERB [OPTION…] …\n"
	       "Makes programs start faster from a cold page cache.\n"
	       "\n"
	       "verbs:\n");
	for (size_t i = 0; i < N_SUMMARIES; i++)
		printf("  %-9s %s\n", summaries[i].verb, summaries[i].text);
	printf("\noptions:\n"
	       "  -h, --help     print this\n"
	       "      --version  print the version\n"
	       "\n"
	       "'headstart VERB --help' says more of each. First steps:\n"
	       "  headstart record -- PROGRAM     as root, once\n"
	       "  headstart run -- PROGRAM        from then on\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		fputs("headstart: no verb; see 'headstart --help'\n", stderr);
		return VERB_USAGE;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return print_help();
	if (strcmp(word, "--version") == 0) {
		puts("headstart " HEADSTART_VERSION);
		return 0;
	}
	if (strcmp(word, "run") == 0)
		return cmd_run(argc - 1, argv + 1);
	for (size_t i = 0; i < N_SUMMARIES; i++)
		if (strcmp(word, summaries[i].verb) == 0)
			return verb_fail_errno(exec_tool(argv), "cannot start '%s'",
				HEADSTART_PRIVATE_DIR "/headstart-tool");
	fprintf(stderr, "headstart: no verb '%s'; see 'headstart --help'\n", word);
	return VERB_USAGE;
}
