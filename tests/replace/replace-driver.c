/* SPDX-License-Identifier: MIT */
/*
 * For the tests that break it off: gives files the content of their first SIZE bytes and the line "new".
 *	replace-driver SIZE names PATH…       all names of one file
 *	replace-driver SIZE new OUT LIKE
 * Prints the error's name and what could not be kept on failure (status 1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "replace/replace.h"

static int begin(struct replacement *replacement, int argc, char **argv)
{
	int r;

	if (streq(argv[2], "new"))
		return replacement_begin_new(replacement, argv[3], argv[4]);
	r = replacement_begin(replacement, argv[3]);
	for (int i = 4; r == 0 && i < argc; i++)
		r = replacement_add_name(replacement, argv[i]);
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(replacement_releasep) struct replacement replacement = REPLACEMENT_NONE;
	int r;

	if (argc < 4 || (streq(argv[2], "new") && argc != 5))
		return 2;
	r = begin(&replacement, argc, argv);
	if (r == 0)
		r = replacement_copy_original(&replacement, strtoull(argv[1], NULL, 10));
	if (r == 0)
		r = write_full(replacement.fd, "new\n", 4);
	if (r == 0)
		r = replacement_commit(&replacement);
	if (r == 0)
		return 0;
	fprintf(stderr, "%s %s\n", strerrorname_np(-r), replacement.lost ? replacement.lost : "-");
	return 1;
}
