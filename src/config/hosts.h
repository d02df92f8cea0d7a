/* SPDX-License-Identifier: MIT */
/*
 * Which programs are hosts of other things (interpreters, programs with subcommands), and how to tell from their
 * arguments what they are asked for: the files of headstart-hosts(5).
 */
#pragma once

#include "config/config.h"
#include "format/asked.h"

/*
 * Writes the rule (format/asked.h) of the program at this canonical path to `rule`. Of several sections that name the
 * program the last counts. Returns false if it is no host: then `rule` is ASKED_RULE_ALL. Mistakes in the files are
 * reported; a section with a mistake does not count. `tell` may be NULL.
 */
bool hosts_rule(const char *program, char rule[ASKED_RULE_MAX], config_problem *tell, void *context);

/* Reads all files that count. Returns the number of mistakes. */
unsigned hosts_check(config_problem *tell, void *context);

/* The same for a text of `size` bytes that ends with a NUL besides; it is changed. For tests. */
unsigned hosts_parse(const char *file, char *text, size_t size, const char *program,
	char rule[ASKED_RULE_MAX], bool *ret_host, config_problem *tell, void *context);
