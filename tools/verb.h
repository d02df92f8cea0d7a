/* SPDX-License-Identifier: MIT */
/* The verbs of the command line and what they share: errors as one sentence, --help. */
#pragma once

#include <getopt.h>
#include <stdbool.h>

struct verb {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit status */
};

/* Exit statuses: 0 done, 1 failed (a sentence on stderr says why), 2 the command line was wrong. */
#define VERB_FAILED 1
#define VERB_USAGE  2

/* "headstart: " and the sentence on stderr: lower case, no full stop, the subject in 'single quotes'. Returns 1. */
int verb_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with ": " and the text of a (negative or positive) errno. Returns 1. */
int verb_fail_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A remark that is not an error, on stderr. */
void verb_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "headstart VERB: …; see 'headstart VERB --help'" on stderr. Returns 2. */
int verb_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * getopt_long(3) that prints nothing. For '?' (an option that is unknown, or takes no value and was given
 * one) and
 * ':' (one without its value; `shorts` must ask for that) *ret_culprit is that option as it was typed, valid
 * until the next call.
 */
int verb_getopt(
	int argc, char **argv, const char *shorts, const struct option *longs, const char **ret_culprit);

/* The same for the verb argv[0], which says what was wrong and returns '?'. */
int verb_option(int argc, char **argv, const char *shorts, const struct option *longs);

/* Parses a decimal number without sign, all of the text. Returns whether it is one that fits. */
bool verb_parse_u64(const char *text, unsigned long long *ret);

int cmd_run(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_undo(int argc, char **argv);
int cmd_order(int argc, char **argv);
int cmd_relayout(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_install(int argc, char **argv);
int cmd_uninstall(int argc, char **argv);
int cmd_status(int argc, char **argv);
