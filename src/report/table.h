/* SPDX-License-Identifier: MIT */
/* The page for people: a title, labelled lines, and a table of files, each with a bar of its touched pages. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "report/style.h"

#define TABLE_BAR_CELLS 24

#define TABLE_WIDE 100 /* columns: on a narrower page two parts of the bar share a character */

/* The touched share of each part of a file, from 0 to 1. */
struct table_bar {
	uint64_t file_pages; /* pages that the whole bar stands for; > 0 */
	double cells[TABLE_BAR_CELLS];
};

void table_bar_add(struct table_bar *bar, uint64_t page, uint64_t pages);

struct table_row {
	const char *path;
	uint64_t bytes; /* touched, or that will be read */
	uint64_t size;  /* bytes of the file */
	size_t pieces;  /* ranges or extents */
	size_t source;  /* which file this is, for the bar */
	char note[12];
};

struct table {
	const char *title;                 /* "files by touched bytes" */
	const char *bytes, *pieces, *note; /* heads of columns, at most 9, 7 and 8 characters */
	struct table_row *rows;            /* this sorts them by bytes */
	size_t n_rows;
	uint32_t page_size;
	void (*fill_bar)(struct table_bar *bar, const void *context, size_t source);
	const void *context;
};

void table_print(FILE *out, const struct table *table, const struct report_style *style);

/* A line of emphasis. */
void table_title(FILE *out, const char *text, const struct report_style *style);

/* "  label       text…", with continued lines below the text. */
void table_line(FILE *out, const struct report_style *style, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Where a text that is too wide is cut: "…b/libc.so.6" still names a file, and "-c 'print…" a start. */
enum table_cut { TABLE_CUT_BEGIN, TABLE_CUT_END };

/*
 * Prints a string from a file to a terminal. Control characters, and bytes that are not UTF-8 (or, without utf8, not
 * ASCII), become \xNN. If it is wider than `width`, one end of it is cut off, and "…" stands there.
 */
void table_cut_text(
	FILE *out, const char *text, size_t width, enum table_cut cut, const struct report_style *style);

/* All of it, however wide. */
void table_safe_text(FILE *out, const char *text, const struct report_style *style);

/* The rest of a line of which `before` columns are taken: a path, and a newline. Cuts the path unless whole_paths. */
void table_path(FILE *out, const char *path, size_t before, const struct report_style *style);
