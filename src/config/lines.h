/* SPDX-License-Identifier: MIT */
/* What settings and hosts.d have in common: sections, keys and values, line by line, and how a mistake is reported. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"

#define LINES_SHOWN_MAX 60 /* bytes of a file's text that a message repeats */

struct config_lines {
	const char *file;
	config_problem *tell; /* NULL: mistakes are only counted */
	void *context;        /* for tell() */
	unsigned line, problems;
	bool any_section;
	void *parser; /* for the functions below */
	/* A section begins; its name is NULL if the line has no ']'. */
	void (*section)(void *parser, char *name);
	/* Neither is empty; there is a section. */
	void (*key)(void *parser, char *key, char *value);
};

/* Parses a whole file, which it changes; text[size] must be writable. Goes on after every mistake. */
void config_lines_parse(struct config_lines *lines, char *text, size_t size);

/* Reports a mistake in the line that is being parsed. */
void config_lines_problem(struct config_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
