/* SPDX-License-Identifier: MIT */
/* Prints differences. */
#include "report/profiles/difference.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/words.h"

/* In JSON and in the table. The first two are said otherwise of files on disk. */
static const char *state_name(enum difference_state state)
{
	switch (state) {
	case DIFFERENCE_SAME:
		return "same";
	case DIFFERENCE_CHANGED:
		return "changed";
	case DIFFERENCE_ONLY_A:
		return "only-a";
	case DIFFERENCE_ONLY_B:
		return "only-b";
	case DIFFERENCE_GONE:
		return "gone";
	case DIFFERENCE_HIDDEN:
	case DIFFERENCE_STATES:
		break;
	}
	return "hidden";
}

/* The larger part of what the file differs by decides its place. */
static int compare_rows(const void *a, const void *b)
{
	const struct difference_file *const *x = a, *const *y = b;
	uint64_t left = (*x)->pages.only_a + (*x)->pages.only_b;
	uint64_t right = (*y)->pages.only_a + (*y)->pages.only_b;

	if (left != right)
		return left > right ? -1 : 1;
	return strcmp((*x)->path, (*y)->path);
}

static bool differs(const struct difference_file *file)
{
	return file->state != DIFFERENCE_SAME || file->pages.only_a + file->pages.only_b > 0;
}

static const char *bytes_of(const struct difference *difference, uint64_t pages, char buffer[WORDS_MAX])
{
	return words_bytes(pages * difference->page_size, buffer);
}

static void print_row(FILE *out, const struct difference *difference, const struct difference_file *file,
	bool of_disk, const struct report_style *style)
{
	char a[WORDS_MAX], b[WORDS_MAX], both[WORDS_MAX];
	int before;

	if (of_disk)
		before = fprintf(out, "  %9s  %-8s  ", bytes_of(difference, file->pages.only_a, a),
			state_name(file->state));
	else
		before = fprintf(out, "  %9s %9s %9s  %-8s  ", bytes_of(difference, file->pages.only_a, a),
			bytes_of(difference, file->pages.only_b, b),
			bytes_of(difference, file->pages.both, both), state_name(file->state));
	table_path(out, file->path, before > 0 ? (size_t)before : 0, style);
}

static int print_files(
	FILE *out, const struct difference *difference, bool of_disk, const struct report_style *style)
{
	_cleanup_free_ const struct difference_file **rows = calloc(difference->n_files + 1, sizeof(*rows));
	size_t n = 0, shown;
	char title[96];

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < difference->n_files; i++)
		if (differs(&difference->files[i]))
			rows[n++] = &difference->files[i];
	if (n == 0)
		return 0;
	qsort(rows, n, sizeof(*rows), compare_rows);
	shown = n < style->rows ? n : style->rows;
	fputc('\n', out);
	snprintf(title, sizeof(title),
		shown < n ? "files that differ (%zu of %zu; --all for the rest)" : "files that differ", shown,
		n);
	table_title(out, title, style);
	if (of_disk)
		fprintf(out, "  %9s  %-8s  file\n", "touched", "state");
	else
		fprintf(out, "  %9s %9s %9s  %-8s  file\n", "only A", "only B", "both", "state");
	for (size_t i = 0; i < shown; i++)
		print_row(out, difference, rows[i], of_disk, style);
	return 0;
}

static const char *count(
	const struct difference *difference, enum difference_state state, char buffer[WORDS_MAX])
{
	return words_count(difference->counts[state], buffer);
}

static void print_disk_head(FILE *out, const struct difference *difference,
	const struct difference_names *names, const struct report_style *style)
{
	char same[WORDS_MAX], changed[WORDS_MAX], gone[WORDS_MAX], hidden[WORDS_MAX];

	fputs("profile of ", out);
	table_title(out, names->program, style);
	table_line(out, style, "files", "%s as recorded, %s changed since, %s gone",
		count(difference, DIFFERENCE_SAME, same), count(difference, DIFFERENCE_CHANGED, changed),
		count(difference, DIFFERENCE_GONE, gone));
	if (difference->counts[DIFFERENCE_HIDDEN] > 0)
		table_line(out, style, "", "%s that you may not read",
			count(difference, DIFFERENCE_HIDDEN, hidden));
	table_line(out, style, "touched", "%s in files as recorded, %s in others",
		bytes_of(difference, difference->pages.both, same),
		bytes_of(difference, difference->pages.only_a, changed));
}

static void print_profiles_head(FILE *out, const struct difference *difference,
	const struct difference_names *names, const struct report_style *style)
{
	char same[WORDS_MAX], changed[WORDS_MAX], a[WORDS_MAX], b[WORDS_MAX];

	fputs("profiles of ", out);
	table_title(out, names->program, style);
	table_line(out, style, "A", "%s", names->a);
	if (streq(names->program, names->b_program))
		table_line(out, style, "B", "%s", names->b);
	else
		table_line(out, style, "B", "%s, a profile of %s", names->b, names->b_program);
	table_line(out, style, "files",
		"%s in both, %s in both of different builds, %s only in A, %s only in B",
		count(difference, DIFFERENCE_SAME, same), count(difference, DIFFERENCE_CHANGED, changed),
		count(difference, DIFFERENCE_ONLY_A, a), count(difference, DIFFERENCE_ONLY_B, b));
	table_line(out, style, "touched", "%s in both, %s only in A, %s only in B",
		bytes_of(difference, difference->pages.both, same),
		bytes_of(difference, difference->pages.only_a, a),
		bytes_of(difference, difference->pages.only_b, b));
}

int report_difference_text(FILE *out, const struct difference *difference,
	const struct difference_names *names, const struct report_style *style)
{
	if (names->b)
		print_profiles_head(out, difference, names, style);
	else
		print_disk_head(out, difference, names, style);
	return print_files(out, difference, !names->b, style);
}

static void add_pages(
	struct json_object *json, const struct difference *difference, const struct difference_pages *pages)
{
	uint64_t size = difference->page_size;

	json_object_object_add(json, "bytes_only_a", json_object_new_uint64(pages->only_a * size));
	json_object_object_add(json, "bytes_only_b", json_object_new_uint64(pages->only_b * size));
	json_object_object_add(json, "bytes_both", json_object_new_uint64(pages->both * size));
}

static struct json_object *file_object(
	const struct difference *difference, const struct difference_file *file)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "path", json_text(file->path));
	json_object_object_add(json, "state", json_object_new_string(state_name(file->state)));
	add_pages(json, difference, &file->pages);
	return json;
}

int report_difference_json(
	FILE *out, const struct difference *difference, const struct difference_names *names)
{
	struct json_object *json = json_object_new_object(), *counts = json_object_new_object(),
			   *files = json_object_new_array();

	for (enum difference_state state = 0; state < DIFFERENCE_STATES; state++)
		json_object_object_add(
			counts, state_name(state), json_object_new_uint64(difference->counts[state]));
	for (size_t i = 0; i < difference->n_files; i++)
		json_object_array_add(files, file_object(difference, &difference->files[i]));
	json_object_object_add(json, "type", json_object_new_string("difference"));
	json_object_object_add(json, "program", json_text(names->program));
	json_object_object_add(json, "a", json_text(names->a));
	json_object_object_add(json, "b", names->b ? json_text(names->b) : NULL);
	json_object_object_add(json, "page_size", json_object_new_uint64(difference->page_size));
	add_pages(json, difference, &difference->pages);
	json_object_object_add(json, "counts", counts);
	json_object_object_add(json, "files", files);
	return json_print(out, json, JSON_C_TO_STRING_PRETTY, "\n");
}
