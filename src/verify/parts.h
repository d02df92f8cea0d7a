/* SPDX-License-Identifier: MIT */
/* What the parts of verify share. Each part returns 0, or -EBADMSG with the problem in the report, or -ENOMEM. */
#pragma once

#include <stdbool.h>

#include "elf/view.h"
#include "format/note.h"
#include "verify/verify.h"

/* Eight bytes in a page that a relocation was packed into. */
struct verify_slot {
	uint64_t address;
	uint64_t addend;
	uint64_t order; /* of the relocation in the original; the first has the least */
};

struct verify {
	const struct elf_view *old, *new;
	const struct note_relaid *note; /* checked against the file, host order */
	struct verify_report *report;
	struct verify_slot *packed; /* owned, ascending: addresses that are new in DT_RELR */
	size_t n_packed;
	uint64_t
		name_end; /* where the name of an added version ends in the string table; 0: none was added */
};

/* Copies what the note says into the report. */
void verify_report_note(struct verify_report *report, const struct note_relaid *note);

/* Writes the problem to the report. Returns -EBADMSG. */
int verify_wrong(struct verify *verify, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Reads bytes at an address as the loader maps them, into new memory that the caller frees. Returns 0, -ENODATA (not
 * all of them come from the file) or -ENOMEM.
 */
int verify_read_alloc(const struct elf_view *view, uint64_t address, uint64_t size, void **ret);

/* Program headers: the same memory with the same rights, in pieces at their old place in the file or in the hot
 * region. */
int verify_headers(struct verify *verify);

/* The dynamic section, tag by tag. */
int verify_dynamic(struct verify *verify);

/* Relocations: the same ones; sets packed. */
int verify_relocations(struct verify *verify);

/* Required symbol versions, and strings where their table has moved. */
int verify_versions(struct verify *verify);

/* Every byte of every page, except what the earlier parts have found correctly changed. */
int verify_pages(struct verify *verify);

/* Sets *ret_value to the value of the first entry of a tag. Returns how many entries there are. */
size_t verify_dynamic_find(const struct elf_view *view, int64_t tag, uint64_t *ret_value);
