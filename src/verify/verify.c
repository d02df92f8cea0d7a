/* SPDX-License-Identifier: MIT */
/* The order of verification. */
#include "verify/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "relaid/note.h"
#include "relaid/undo.h"
#include "verify/parts.h"

static void verify_releasep(struct verify *verify)
{
	free(verify->packed);
}

/* Checks that [from, to) holds only zeros. */
static int check_zeros(struct verify *verify, uint64_t from, uint64_t to)
{
	const uint8_t *data = verify->new->data;

	if (from >= to || (data[from] == 0 && memcmp(&data[from], &data[from + 1], to - from - 1) == 0))
		return 0;
	while (data[from] == 0)
		from++;
	return verify_wrong(
		verify, "has something at offset %#" PRIx64 ", where there should be only padding", from);
}

/* Checks the padding between the original, the tables and the hot region. */
static int check_padding(struct verify *verify)
{
	const struct note_relaid *note = verify->note;
	int r = check_zeros(verify, note->original_size, note->tables_offset);

	if (r == 0 && note->hot_size > 0)
		r = check_zeros(verify, note->tables_offset + note->tables_size, note->hot_offset);
	return r;
}

static int compare(struct verify *verify)
{
	static int (*const parts[])(struct verify *) = {check_padding, verify_headers, verify_dynamic,
		verify_relocations, verify_versions, verify_pages};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		int r = parts[i](verify);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Parses the original and the relaid file, and compares them. */
static int compare_files(const uint8_t *data, uint64_t size, const struct undo *undo,
	const struct note_relaid *note, struct verify_report *report)
{
	_cleanup_(elf_view_releasep) struct elf_view old = {0}, new = {0};
	_cleanup_free_ uint8_t *original = NULL;
	_cleanup_(verify_releasep) struct verify verify = {
		.old = &old, .new = &new, .note = note, .report = report};
	const char *problem;
	int r;

	r = undo_copy(data, undo, &original);
	if (r < 0)
		return r;
	r = elf_view_init(&old, original, undo->size, &problem);
	if (r == -ENOEXEC)
		return verify_wrong(&verify, "contains an original that %s", problem);
	if (r < 0)
		return r;
	r = elf_view_init(&new, data, size, &problem);
	if (r == -ENOEXEC)
		return verify_wrong(&verify, "%s", problem);
	return r < 0 ? r : compare(&verify);
}

int verify_relaid(const uint8_t *data, uint64_t size, struct verify_report *ret)
{
	struct verify_report report = {.size = size};
	struct note_relaid note;
	struct undo undo;
	const char *problem;
	int r;

	r = note_find(data, size, &note, &problem);
	if (r == 0) {
		verify_report_note(&report, &note);
		r = undo_prepare(data, size, &undo, &problem);
	}
	if (r == 0)
		r = compare_files(data, size, &undo, &note, &report);
	else if (r != -ENOMEM)
		snprintf(report.problem, sizeof(report.problem), "%s", problem);
	*ret = report;
	return r;
}
