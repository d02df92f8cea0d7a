/* SPDX-License-Identifier: MIT */
/* Reads the note of a relaid file. Shares only format/note.h with the code that writes it. */
#include "relaid/note.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "base/checked.h"
#include "base/cleanup.h"

#define GRANULE_MIN  4096u
#define GRANULE_MAX  65536u
#define PASSES_KNOWN (NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS | NOTE_PASS_COMPACT)

static void freep_state(XXH3_state_t **state)
{
	XXH3_freeState(*state);
}

/* Whether it is a 64-bit little-endian ELF file whose program headers lie inside it. */
static bool is_elf(const uint8_t *data, uint64_t size, Elf64_Ehdr *ret)
{
	if (size < sizeof(*ret))
		return false;
	memcpy(ret, data, sizeof(*ret));
	return memcmp(ret->e_ident, ELFMAG, SELFMAG) == 0 && ret->e_ident[EI_CLASS] == ELFCLASS64 &&
		ret->e_ident[EI_DATA] == ELFDATA2LSB && ret->e_phentsize == sizeof(Elf64_Phdr) &&
		table_fits(ret->e_phoff, ret->e_phnum, sizeof(Elf64_Phdr), size);
}

/* Whether a segment begins with a note of ours, whatever follows its name. */
static bool is_ours(const uint8_t *data, uint64_t size, const Elf64_Phdr *phdr)
{
	const size_t head = offsetof(struct note_segment, relaid);
	struct note_segment segment;

	if (phdr->p_type != PT_NOTE || phdr->p_filesz < head ||
		!range_fits(phdr->p_offset, phdr->p_filesz, size))
		return false;
	memcpy(&segment, data + phdr->p_offset, head);
	return LE32(segment.n_namesz) == sizeof(NOTE_NAME) && LE32(segment.n_type) == NOTE_TYPE &&
		memcmp(segment.name, NOTE_NAME, sizeof(NOTE_NAME)) == 0;
}

static void to_host(struct note_relaid *note)
{
	note->version = LE32(note->version);
	note->passes = LE32(note->passes);
	note->profile = LE64(note->profile);
	note->original_size = LE64(note->original_size);
	note->original_checksum = LE64(note->original_checksum);
	note->original_phoff = LE64(note->original_phoff);
	note->original_phnum = LE32(note->original_phnum);
	note->granule = LE32(note->granule);
	note->tables_offset = LE64(note->tables_offset);
	note->tables_size = LE64(note->tables_size);
	note->hot_offset = LE64(note->hot_offset);
	note->hot_size = LE64(note->hot_size);
	note->appended_checksum = LE64(note->appended_checksum);
}

/* What is wrong with the note's sizes and places, or NULL. */
static const char *fault_of(const struct note_relaid *note, const Elf64_Ehdr *header, uint64_t size)
{
	uint64_t mask = note->granule - 1, end;

	if (note->granule < GRANULE_MIN || note->granule > GRANULE_MAX || (note->granule & mask) != 0)
		return "has a note that names an impossible page size";
	if (note->original_size < sizeof(*header) || note->original_phnum >= PN_XNUM ||
		!table_fits(
			note->original_phoff, note->original_phnum, sizeof(Elf64_Phdr), note->original_size))
		return "has a note whose original has its program headers outside of itself";
	if ((note->tables_offset & mask) != 0 || note->tables_offset < note->original_size)
		return "has a note whose tables do not begin on a page after the original";
	if (!range_fits(note->tables_offset, note->tables_size, size))
		return "is truncated: the tables that its note names go beyond its end";
	end = note->tables_offset + note->tables_size;
	if (note->tables_size < NOTE_REACH || header->e_phoff < note->tables_offset + NOTE_REACH ||
		header->e_phoff + (uint64_t)header->e_phnum * sizeof(Elf64_Phdr) != end)
		return "has a note whose tables do not end with the program headers";
	if (note->hot_size > 0) {
		if ((note->hot_offset & mask) != 0 || note->hot_offset < end || (note->hot_size & mask) != 0)
			return "has a note whose hot region is not whole pages after the tables";
		if (!range_fits(note->hot_offset, note->hot_size, size))
			return "is truncated: the hot region that its note names goes beyond its end";
		end = note->hot_offset + note->hot_size;
	}
	if (end != size)
		return "has been changed since it was relaid: something was appended";
	if (note->tool[sizeof(note->tool) - 1] != '\0')
		return "has a note whose name of the tool has no end";
	return NULL;
}

static int not_relaid(const char *problem, const char **ret_problem)
{
	*ret_problem = problem;
	return -ENODATA;
}

static int wrong(const char *problem, const char **ret_problem)
{
	*ret_problem = problem;
	return -EBADMSG;
}

/* Finds the only segment that is a note of ours. */
static int find_segment(const uint8_t *data, uint64_t size, const Elf64_Ehdr *header, Elf64_Phdr *ret,
	const char **ret_problem)
{
	size_t found = 0;

	for (size_t i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr phdr;

		memcpy(&phdr, data + header->e_phoff + i * sizeof(phdr), sizeof(phdr));
		if (!is_ours(data, size, &phdr))
			continue;
		*ret = phdr;
		found++;
	}
	if (found == 0)
		return not_relaid("is not a relaid file: it has no note of headstart", ret_problem);
	return found == 1 ? 0 : wrong("has more than one note of headstart", ret_problem);
}

int note_find(const uint8_t *data, uint64_t size, struct note_relaid *ret, const char **ret_problem)
{
	struct note_segment segment;
	struct note_relaid note;
	Elf64_Ehdr header;
	Elf64_Phdr phdr = {0};
	const char *fault;
	int r;

	if (!is_elf(data, size, &header))
		return not_relaid("is not a relaid file: it is not a 64-bit ELF file", ret_problem);
	r = find_segment(data, size, &header, &phdr, ret_problem);
	if (r < 0)
		return r;
	if (phdr.p_filesz != sizeof(segment))
		return wrong("has a note of headstart of another size than this version writes", ret_problem);
	memcpy(&segment, data + phdr.p_offset, sizeof(segment));
	note = segment.relaid;
	to_host(&note);
	if (LE32(segment.n_descsz) != sizeof(note) || note.version != NOTE_VERSION ||
		(note.passes & ~PASSES_KNOWN) != 0)
		return wrong("has a note of headstart of another version", ret_problem);
	if (phdr.p_offset != note_offset(&header))
		return wrong("has its note elsewhere than beside its program headers", ret_problem);
	if ((note.passes & NOTE_PASS_COMPACT) == 0) {
		fault = fault_of(&note, &header, size);
		if (fault)
			return wrong(fault, ret_problem);
	}
	*ret = note;
	return 0;
}

Elf64_Ehdr note_original_header(const uint8_t *data, const struct note_relaid *note)
{
	Elf64_Ehdr header;

	memcpy(&header, data, sizeof(header));
	header.e_phoff = note->original_phoff;
	header.e_phnum = (Elf64_Half)note->original_phnum;
	return header;
}

/* XXH3-64 from an offset to the end of the file, with the field of this checksum taken as 0. */
static uint64_t appended_checksum(XXH3_state_t *state, const uint8_t *data, uint64_t from, uint64_t size)
{
	static const uint8_t zeros[sizeof(((struct note_relaid *)NULL)->appended_checksum)];
	Elf64_Ehdr header;
	uint64_t field;

	memcpy(&header, data, sizeof(header));
	field = note_offset(&header) + offsetof(struct note_segment, relaid.appended_checksum);
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, data + from, field - from);
	XXH3_64bits_update(state, zeros, sizeof(zeros));
	XXH3_64bits_update(state, data + field + sizeof(zeros), size - field - sizeof(zeros));
	return XXH3_64bits_digest(state);
}

static uint64_t original_checksum(XXH3_state_t *state, const uint8_t *data, const struct note_relaid *note)
{
	Elf64_Ehdr header = note_original_header(data, note);

	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, &header, sizeof(header));
	XXH3_64bits_update(state, data + sizeof(header), note->original_size - sizeof(header));
	return XXH3_64bits_digest(state);
}

int note_check_sums(
	const uint8_t *data, uint64_t size, const struct note_relaid *note, const char **ret_problem)
{
	_cleanup_(freep_state) XXH3_state_t *state = XXH3_createState();
	bool compact = (note->passes & NOTE_PASS_COMPACT) != 0;

	if (!state)
		return -ENOMEM;
	if (appended_checksum(state, data, compact ? 0 : note->original_size, size) !=
		note->appended_checksum)
		return wrong(compact ? "has been changed since it was relaid"
				     : "has been changed since it was relaid: what was appended is no longer "
				       "as it was",
			ret_problem);
	if (!compact && original_checksum(state, data, note) != note->original_checksum)
		return wrong(
			"has been changed since it was relaid: the original in it is no longer as it was",
			ret_problem);
	return 0;
}
