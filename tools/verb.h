/* SPDX-License-Identifier: MIT */
/* The verbs of the command line and what they share: errors as one sentence, --help. */
#pragma once

#include <getopt.h>
#include <stdbool.h>

/*
 * The verbs, in the order of 'headstart --help': VERB(NAME, one line of help). The function cmd_NAME() gets the verb as
 * argv[0], carries it out and returns the exit status.
 */
#define VERBS(VERB)                                                                                          \
	VERB(record, "record what a program's start touches")                                                \
	VERB(run, "read ahead what a program's start touches, then start it")                                \
	VERB(measure, "measure what headstart gains for a command on this machine")                          \
	VERB(trace, "trace a start: what each of its threads does, and each read")                           \
	VERB(watch, "show live what a start, a process or the machine reads")                                \
	VERB(report, "show where the time of a traced start went")                                           \
	VERB(timeline, "draw a traced start as a page, or export it for Perfetto")                           \
	VERB(plan, "compile a profile for this machine's disk")                                              \
	VERB(show, "print a profile or a plan")                                                              \
	VERB(diff, "compare two profiles, or a profile with today's files")                                  \
	VERB(explain, "say why a file, a page or a function is in the plan or is not")                       \
	VERB(merge, "make one profile from several recordings")                                              \
	VERB(list, "show which starts are recorded")                                                         \
	VERB(forget, "remove recordings and their plans")                                                    \
	VERB(snapshot, "save which pages of files and folders are in memory")                                \
	VERB(restore, "read back what a snapshot says was in memory")                                        \
	VERB(boot, "read ahead what a boot of this machine reads, record that, and draw it")                 \
	VERB(relayout, "rewrite ELF files so that what a start touches lies together")                       \
	VERB(verify, "prove that relaid files are what their originals were")                                \
	VERB(undo, "turn relaid files back into their originals")                                            \
	VERB(place, "put the parts that a start needs side by side on a disk")                               \
	VERB(order, "write a profile as an ordering file for a linker")                                      \
	VERB(import, "make a profile of what callgrind has written")                                         \
	VERB(export, "write a profile as a list for another engine, such as squashfs or eStargz")            \
	VERB(install, "have programs start with headstart without typing it")                                \
	VERB(uninstall, "take back exactly what install did")                                                \
	VERB(doctor, "check this machine and a program, and suggest fixes")                                  \
	VERB(config, "check the settings and apply them to existing plans")                                  \
	VERB(status, "show what is installed, switched off and recorded")                                    \
	VERB(pause, "tell the daemon to do nothing for a while")                                             \
	VERB(resume, "tell the daemon to go on after a pause")                                               \
	VERB(why, "say what the daemon knows of a program")                                                  \
	VERB(mark, "tell a running 'headstart record' that the start is over")

#define VERB_DECLARATION(name, help) int cmd_##name(int argc, char **argv);
VERBS(VERB_DECLARATION)

struct verb {
	const char *name, *help;
	int (*run)(int argc, char **argv); /* NULL if this program does not have the verb */
};

/* All verbs; the last entry has no name. */
extern const struct verb verbs[];

/* The verb of this name, or NULL. */
const struct verb *verb_find(const char *name);

/* Exit statuses: 0 done, 1 failed (a sentence on stderr says why), 2 the command line was wrong. */
#define VERB_FAILED 1
#define VERB_USAGE  2

/* "headstart: " and the sentence on stderr: lower case, no full stop, the subject in 'single quotes'. Returns 1. */
int verb_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with ": " and the text of a (negative or positive) errno. Returns 1. */
int verb_fail_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes standard output. Returns 0, or 1 after printing that not everything could be written, now or before. */
int verb_flush(void);

/* The same after a report, whose result is 0 or negative errno. */
int verb_flush_report(int r);

/* A remark that is not an error, on stderr. */
void verb_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text on stderr, for programs whose messages begin otherwise. As in all of these, control characters become '?'. */
void verb_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "headstart VERB: …; see 'headstart VERB --help'" on stderr. Returns 2. */
int verb_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * getopt_long(3) that prints nothing. For '?' (an option that is unknown, or that takes no value and was given one) and
 * ':' (an option without its value; `shorts` must ask for that) *ret_culprit is the option as the user typed it, valid
 * until the next call.
 */
int verb_getopt(
	int argc, char **argv, const char *shorts, const struct option *longs, const char **ret_culprit);

/* Parses a decimal number without sign, up to the end of the text. Returns whether it is one and fits. */
bool verb_parse_u64(const char *text, unsigned long long *ret);
