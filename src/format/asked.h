/* SPDX-License-Identifier: MIT */
/*
 * What a start asks of its program, as a number: its key. Starts with the same key touch the same files, as far as the
 * command line can tell. Freestanding: the shims and the tools must agree. asked_for(), in asked/search.h, finds it.
 *
 * A rule says which arguments count. It is a text of words with single blanks between them, which hosts.d holds for
 * known programs (headstart-hosts(5)), and which a plan carries in its head:
 *
 *     all             every argument counts; one that looks like a document counts by its suffix alone
 *     operand=ROLE    what the first argument is that is no option; with `skip`, no such argument counts
 *     -X=ROLE         what the value of this option is; so with -name and --name
 *     joined          options of one letter may share an argument with each other and with a value: -Bc CODE
 *     assignments     arguments of the form NAME=VALUE before the first operand do not count
 *     called=NAME     called by another name, the program is asked for that name
 *     near=ENTRY      the nearest folder, at or above the working folder, that has this entry counts as well
 *     own=FOLDER      of no concern here: what is in this folder, seen from the program's, is as certain as its libraries
 *
 * Roles; the first letter decides:
 *
 *     file       a file, which counts by its canonical path     these four end the search: what follows
 *     word       counts as it is                                belongs to the thing that was asked for
 *     text       counts as it is
 *     command    counts as it is, with all that follows and with the working folder
 *     also       counts as it is, and the search goes on
 *     skip       does not count
 *     in         the working folder from here on
 *     operand    the option has no value; it makes the first operand a text (sh -c)
 *     never      no start with this option has a key
 *
 * A start without any of the first four counts by all its arguments.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASKED_RULE_ALL      "all"
#define ASKED_RULE_MAX      1024u /* bytes, with the NUL */
#define ASKED_TEXT_SIZE     512u  /* bytes: a longer path has no key */
#define ASKED_ARGUMENTS_MAX 64u   /* a start with more of them before what it asks for has no key */
#define ASKED_BYTES_MAX     8192u /* of arguments; a start with more has no key */
#define ASKED_FOLDERS_MAX   32u   /* levels that are searched for the entry of near= */
#define ASKED_SUFFIX_MAX    16u   /* bytes: the longest suffix of a document, with its dot */

#define ASKED_END   (-1)
#define ASKED_ERROR (-2)

struct asked_source {
	void *context;
	/*
	 * Copies up to `size` bytes of an argument, from `offset` on, to `text`. Returns how many there were before its NUL,
	 * ASKED_END if there is no such argument, or ASKED_ERROR. Another thread may change the arguments meanwhile: each
	 * byte of them is asked for once.
	 */
	long (*read)(void *context, unsigned int number, size_t offset, char *text, size_t size);
	/* Replaces a path, which may be relative to the working folder, by its canonical one. False if it is too long. */
	bool (*resolve)(void *context, char text[ASKED_TEXT_SIZE]);
	/* Changes the working folder for resolve(). The path is part of asked->text. */
	bool (*enter)(void *context, const char *path);
	/* Whether there is something at that absolute path, which is asked->text. */
	bool (*exists)(void *context, const char *path);
};

struct asked {
	uint64_t key; /* 0: none */
	/* The argument that says what is asked for: those after it belong to that. ASKED_ARGUMENTS_MAX: there is none. */
	unsigned int number;
	char role; /* of it; 0: none, or the rule is `all` */
	bool also; /* an argument before it, of the role `also`, counts as well */
	/* The canonical path of the file, or else of the folder of near=, or "". */
	char text[ASKED_TEXT_SIZE];
};

/* For functions in asked/. They are not inlined: a shim is in every program, and these run only where there is a plan. */
#define ASKED_PART static __attribute__((noinline, unused))
