/* SPDX-License-Identifier: MIT */
/* What the parts of verify share. Each part returns 0, or -EBADMSG with the problem told, or -ENOMEM. */
#pragma once

#include <stdbool.h>

#include "elf/view.h"
#include "format/note.h"
#include "verify/verify.h"

/* Eight bytes in a page that a relocation was packed into. */
struct verify_slot {
	uint64_t address;
	uint64_t addend;
	uint64_t order; /* of the relocation in the original; the first is the least */
};

struct verify {
	const struct elf_view *old, *new;
	const struct note_relaid *note; /* checked against the file, host order */
	struct verify_report *report;
	struct verify_slot *packed; /* owned, ascending: addresses that DT_RELR has and had not */
	size_t n_packed;
	uint64_t name_end; /* where the name of an added version ends in the string table; 0 for none */
};

/* Copies what the note says into the report. */
void verify_report_note(struct verify_report *report, const struct note_relaid *note);

/* Tells the problem. Returns -EBADMSG. */
int verify_wrong(struct verify *verify, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Bytes at an address as the loader maps them, in new memory, which is the caller's. Returns 0, -ENODATA (not
 * all of them come from the file) or -ENOMEM.
 */
int verify_read_alloc(const struct elf_view *view, uint64_t address, uint64_t size, void **ret);

/* Program headers: the same memory with the same rights, in pieces that lie where they always did or in the
 * hot region. */
int verify_headers(struct verify *verify);

/* The dynamic section, tag by tag. */
int verify_dynamic(struct verify *verify);

/* Relocations: the same ones; sets packed. */
int verify_relocations(struct verify *verify);

/* Required symbol versions, and strings where their table has moved. */
int verify_versions(struct verify *verify);

/* Every byte of every page, but for what the parts before have found to be changed rightly. */
int verify_pages(struct verify *verify);

/* The value of the first entry of a tag; how many there are is returned. */
size_t verify_dynamic_find(const struct elf_view *view, int64_t tag, uint64_t *ret_value);
