/* SPDX-License-Identifier: MIT */
/*
 * verify: a compacted file and its original. Shares no code with what compacts. Relocations, versions and
 * the dynamic section are compared as those of an overlay are.
 */
#include "verify/compact/compact.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "elf/notes.h"
#include "relaid/note.h"
#include "verify/compact/parts.h"

static void compact_releasep(struct verify_compact *compact)
{
	elf_sections_release(&compact->old);
	elf_sections_release(&compact->new);
	free(compact->gone);
}

static const struct {
	int64_t tag;
	uint32_t type;
	bool compared; /* here; relocations are by verify_relocations(), symbols by verify_compact_sections() */
} tables[] = {
	{DT_SYMTAB, SHT_DYNSYM, false},
	{DT_STRTAB, SHT_STRTAB, true},
	{DT_GNU_HASH, SHT_GNU_HASH, true},
	{DT_HASH, SHT_HASH, true},
	{DT_VERSYM, SHT_GNU_versym, true},
	{DT_VERDEF, SHT_GNU_verdef, true},
	{DT_VERNEED, SHT_GNU_verneed, true},
	{DT_RELA, SHT_RELA, false},
	{DT_JMPREL, SHT_RELA, false},
	{DT_RELR, SHT_RELR, true},
};

static const Elf64_Shdr *section_at(const struct elf_sections *sections, uint64_t address, uint32_t type)
{
	for (size_t i = 1; i < sections->n; i++)
		if (sections->all[i].sh_addr == address && sections->all[i].sh_type == type &&
			elf_section_is_loaded(&sections->all[i]))
			return &sections->all[i];
	return NULL;
}

static int same_bytes(struct verify_compact *compact, uint64_t old, uint64_t new, uint64_t size)
{
	struct verify *verify = compact->verify;
	_cleanup_free_ void *before = NULL, *after = NULL;
	int r;

	r = verify_read_alloc(verify->old, old, size, &before);
	if (r == 0)
		r = verify_read_alloc(verify->new, new, size, &after);
	if (r == -ENODATA || (r == 0 && memcmp(before, after, size) != 0))
		return verify_wrong(verify,
			"has something else at %#" PRIx64 " than the original at %#" PRIx64, new, old);
	return r;
}

static int check_table(struct verify_compact *compact, size_t table)
{
	struct verify *verify = compact->verify;
	const Elf64_Shdr *section;
	uint64_t old, now = 0;
	bool stays, written_anew = (verify->note->passes & NOTE_PASS_RELR) && tables[table].tag == DT_VERNEED;
	int r = 0;

	if (verify_dynamic_find(verify->old, tables[table].tag, &old) == 0)
		return 0;
	stays = verify_dynamic_find(verify->new, tables[table].tag, &now) > 0;
	if (stays && old == now)
		return 0;
	section = section_at(&compact->old, old, tables[table].type);
	if (!section)
		return verify_wrong(verify, "has moved a table that the original has no section for");
	if (tables[table].tag == DT_SYMTAB && !section_at(&compact->new, now, SHT_DYNSYM))
		return verify_wrong(verify, "has no section where its dynamic symbols are");
	if (tables[table].compared && !written_anew)
		r = same_bytes(compact, old, now, section->sh_size);
	if (r < 0)
		return r;
	if (stays && now >= old && now - old < section->sh_size) /* it begins later */
		return verify_add_gone(compact, old, now - old, 0);
	return verify_add_gone(compact, old, section->sh_size, stays ? now : 0);
}

/* Where a table of dynamic linking has moved: the same content; its old place is gone. */
static int verify_tables(struct verify_compact *compact)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		int r = check_table(compact, i);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Whether it is that of the note: at `note_at`, which for the original is nowhere. */
static bool is_note_phdr(const struct elf_view *view, const Elf64_Phdr *phdr, uint64_t note_at)
{
	const uint64_t size = sizeof(struct note_segment);

	return phdr->p_type == PT_NOTE && phdr->p_offset == note_at && phdr->p_flags == PF_R &&
		phdr->p_filesz == size && phdr->p_memsz == size &&
		elf_view_at(view, phdr->p_vaddr, size) == view->data + note_at;
}

/* The next program header that is not a PT_LOAD, nor the note's. */
static const Elf64_Phdr *next_phdr(const struct elf_view *view, size_t *at, uint64_t note_at)
{
	while (*at < view->n_phdrs) {
		const Elf64_Phdr *phdr = &view->phdrs[(*at)++];

		if (phdr->p_type != PT_LOAD && !is_note_phdr(view, phdr, note_at))
			return phdr;
	}
	return NULL;
}

/* Programs find notes in memory. */
static bool may_move(const struct elf_view *view, const Elf64_Phdr *phdr)
{
	const struct elf_notes notes = {.data = elf_view_at(view, phdr->p_vaddr, phdr->p_filesz),
		.size = phdr->p_filesz,
		.align = phdr->p_align};

	return phdr->p_type == PT_INTERP ||
		((phdr->p_type == PT_NOTE || phdr->p_type == PT_GNU_PROPERTY) && notes.data &&
			elf_notes_can_move(&notes));
}

static int compare_phdr(struct verify_compact *compact, const Elf64_Phdr *old, const Elf64_Phdr *new)
{
	struct verify *verify = compact->verify;
	const Elf64_Ehdr *header = &verify->new->header;
	bool is_table = old->p_type == PT_PHDR;
	uint64_t size = is_table ? header->e_phnum * sizeof(Elf64_Phdr) : old->p_filesz;
	int r;

	if (old->p_type == PT_NULL && new->p_type == PT_NULL)
		return 0;
	if (old->p_type != new->p_type || old->p_flags != new->p_flags || old->p_align != new->p_align ||
		new->p_filesz != size || (!is_table && new->p_memsz != old->p_memsz))
		return verify_wrong(
			verify, "has another program header of type %#x than the original", old->p_type);
	if (new->p_filesz > 0 &&
		elf_view_at(verify->new, new->p_vaddr, size) != verify->new->data + new->p_offset)
		return verify_wrong(verify,
			"has a program header of type %#x whose bytes are not those at its address",
			new->p_type);
	if (is_table)
		return new->p_memsz == size && header->e_phoff == new->p_offset
			? 0
			: verify_wrong(verify, "has a PT_PHDR for something else than its program headers");
	if (old->p_vaddr == new->p_vaddr)
		return 0;
	if (!may_move(verify->old, old))
		return verify_wrong(
			verify, "has moved what a program header of type %#x describes", old->p_type);
	r = same_bytes(compact, old->p_vaddr, new->p_vaddr, old->p_filesz);
	return r < 0 ? r : verify_add_gone(compact, old->p_vaddr, old->p_filesz, new->p_vaddr);
}

/* Program headers other than PT_LOAD: the same, of the same bytes. */
static int verify_phdrs(struct verify_compact *compact)
{
	struct verify *verify = compact->verify;
	uint64_t note_at = note_offset(&verify->new->header);
	size_t at_old = 0, at_new = 0;
	const Elf64_Phdr *old, *new;

	if (verify->new->header.e_phoff != sizeof(Elf64_Ehdr))
		return verify_wrong(verify, "has its program headers elsewhere than behind its ELF header");
	do {
		int r;

		old = next_phdr(verify->old, &at_old, UINT64_MAX);
		new = next_phdr(verify->new, &at_new, note_at);
		if (!old || !new)
			break;
		r = compare_phdr(compact, old, new);
		if (r < 0)
			return r;
	} while (true);
	return old || new ? verify_wrong(verify, "has other program headers than the original") : 0;
}

static int take_sections(struct verify_compact *compact)
{
	struct verify *verify = compact->verify;
	const char *problem;
	int r = elf_sections_init(&compact->old, verify->old, &problem);

	if (r == -EOPNOTSUPP)
		return verify_wrong(verify, "was made from an original that %s", problem);
	if (r == 0)
		r = elf_sections_init(&compact->new, verify->new, &problem);
	return r == -EOPNOTSUPP ? verify_wrong(verify, "%s", problem) : r;
}

static int compare(struct verify_compact *compact)
{
	static int (*const parts[])(struct verify *) = {verify_dynamic, verify_relocations, verify_versions};
	static int (*const own_parts[])(struct verify_compact *) = {
		take_sections, verify_tables, verify_phdrs, verify_compact_memory, verify_compact_sections};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(parts) / sizeof(*parts); i++)
		r = parts[i](compact->verify);
	for (size_t i = 0; r == 0 && i < sizeof(own_parts) / sizeof(*own_parts); i++)
		r = own_parts[i](compact);
	return r;
}

/* Both files are those that the note is about. */
static int check_sums(struct verify *verify)
{
	const struct elf_view *new = verify->new, *old = verify->old;
	const struct note_relaid *note = verify->note;
	_cleanup_free_ uint8_t *copy = NULL;
	uint64_t at = note_offset(&new->header);

	if (note->original_size != old->size || note->original_checksum != checksum64(old->data, old->size))
		return verify_wrong(verify, "was not made from that original");
	if (at > new->size || new->size - at < sizeof(struct note_segment))
		return verify_wrong(verify, "has its note elsewhere than behind its program headers");
	copy = malloc(new->size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, new->data, new->size);
	memset(copy + at + offsetof(struct note_segment, relaid.appended_checksum), 0,
		sizeof(note->appended_checksum));
	return checksum64(copy, new->size) == note->appended_checksum
		? 0
		: verify_wrong(verify, "has been changed since it was relaid");
}

/* What is told of a good file. */
static void report(const struct verify *verify, const struct note_relaid *note)
{
	struct verify_report *report = verify->report;
	uint64_t hot_end = note->hot_offset + note->hot_size;

	report->segments_before = verify->old->n_loads;
	report->segments = verify->new->n_loads;
	for (size_t i = 0; i < verify->new->n_loads; i++) {
		const Elf64_Phdr *load = &verify->new->loads[i];
		uint64_t pages = (load->p_filesz + note->granule - 1) / note->granule;

		report->pages += pages;
		report->hot_pages += load->p_offset < hot_end ? pages : 0;
	}
}

static int compare_files(const uint8_t *original, uint64_t original_size, const uint8_t *data, uint64_t size,
	const struct note_relaid *note, struct verify_report *to)
{
	_cleanup_(elf_view_releasep) struct elf_view old = {0}, new = {0};
	struct verify verify = {.old = &old, .new = &new, .note = note, .report = to};
	_cleanup_(compact_releasep) struct verify_compact compact = {.verify = &verify};
	const char *problem;
	int r;

	r = elf_view_init(&old, original, original_size, &problem);
	if (r == -ENOEXEC)
		return verify_wrong(&verify, "was not made from that original, which %s", problem);
	if (r == 0)
		r = elf_view_init(&new, data, size, &problem);
	if (r == -ENOEXEC)
		return verify_wrong(&verify, "%s", problem);
	if (r == 0)
		r = check_sums(&verify);
	if (r == 0)
		r = compare(&compact);
	if (r == 0)
		report(&verify, note);
	free(verify.packed);
	return r;
}

int verify_compacted(const uint8_t *original, uint64_t original_size, const uint8_t *data, uint64_t size,
	struct verify_report *ret)
{
	struct verify_report result = {.size = size};
	struct note_relaid note;
	const char *problem;
	int r = note_find(data, size, &note, &problem);

	if (r == 0 && !(note.passes & NOTE_PASS_COMPACT)) {
		problem = "was not relaid with --compact: it contains its original";
		r = -EOPNOTSUPP;
	}
	if (r == 0 &&
		(note.granule < 4096 || note.granule > 65536 || (note.granule & (note.granule - 1)) != 0)) {
		problem = "has a note that names an impossible page size";
		r = -EBADMSG;
	}
	if (r == 0) {
		verify_report_note(&result, &note);
		r = compare_files(original, original_size, data, size, &note, &result);
	} else {
		snprintf(result.problem, sizeof(result.problem), "%s", problem);
	}
	*ret = result;
	return r;
}
