/* SPDX-License-Identifier: MIT */
/* Reads sections, symbols and the table of .eh_frame_hdr. */
#include "elf/landmarks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/unwind-table.h"
#include "format/hash.h"

#define TABLE_MAX     (64u << 20) /* bytes of a table that are read */
#define NEIGHBOURS    6u /* lengths that make a key: fewer are not unique, more are lost with each change */
#define SYMBOLS_CHUNK 1024u
#define NAMES_MAX                                                                                            \
	(256u << 20)        /* bytes of names that are read: in a hostile file each may be the whole table */
#define SEGMENTS_MAX 1024u  /* program headers; each landmark is looked for in all of them */
#define SECTIONS_MAX 65536u /* among which symbol tables are looked for */
#define MARKS_MAX    (4u << 20) /* of a file, before those that are not unique go */

void elf_landmarks_release(struct elf_landmarks *landmarks)
{
	free(landmarks->parts);
	free(landmarks->marks);
	*landmarks = (struct elf_landmarks){0};
}

void elf_landmarks_free(struct elf_landmarks *landmarks)
{
	if (landmarks)
		elf_landmarks_release(landmarks);
	free(landmarks);
}

static uint32_t key_of(const void *data, size_t size)
{
	uint64_t hash = fnv1a64(FNV1A64_START, data, size);

	return (uint32_t)(hash ^ hash >> 32);
}

/* Addresses that no segment has in the file, and those beyond 4 GiB, are left out. */
static int add_mark(
	struct elf_landmarks *landmarks, const struct elf_file *file, uint64_t address, uint32_t key)
{
	uint64_t offset, left;
	int r;

	if (!elf_file_at(file, address, &offset, &left) || offset > UINT32_MAX ||
		landmarks->n_marks >= MARKS_MAX)
		return 0;
	r = ARRAY_RESERVE(landmarks->marks, landmarks->marks_capacity, landmarks->n_marks + 1);
	if (r == 0)
		landmarks->marks[landmarks->n_marks++] = (struct elf_landmark){key, (uint32_t)offset};
	return r;
}

/* Reads a table whole. *ret, malloc()ed, ends with an additional zero. Returns as elf_file_read(), or -ENOMEM. */
static int read_table(struct elf_file *file, uint64_t offset, uint64_t size, char **ret)
{
	_cleanup_free_ char *table = NULL;
	int r;

	if (size > TABLE_MAX || !range_fits(offset, size, file->size))
		return -ENOEXEC;
	table = malloc(size + 1);
	if (!table)
		return -ENOMEM;
	r = elf_file_read(file, offset, table, size);
	if (r < 0)
		return r;
	table[size] = '\0';
	*ret = TAKE_PTR(table);
	return 0;
}

/* Names of a file, which end with an additional zero. */
struct names {
	const char *text;
	uint64_t size; /* bytes */
	uint64_t left; /* of NAMES_MAX */
};

/* Names beyond the table, and what is too much, are empty. */
static uint32_t name_key(struct names *names, uint32_t offset)
{
	const char *name = offset < names->size ? names->text + offset : "";
	uint64_t length = strnlen(name, names->left + 1);

	if (length > names->left)
		length = names->left = 0;
	names->left -= length;
	return key_of(name, length);
}

/* ---- parts ---- */

static int add_part(struct elf_landmarks *landmarks, uint32_t name, uint64_t offset, uint64_t size)
{
	int r;

	if (size == 0 || landmarks->n_parts >= LANDMARK_PARTS_MAX || !range_fits(offset, size, UINT32_MAX))
		return 0;
	r = ARRAY_RESERVE(landmarks->parts, landmarks->parts_capacity, landmarks->n_parts + 1);
	if (r == 0)
		landmarks->parts[landmarks->n_parts++] =
			(struct elf_part){name, (uint32_t)offset, (uint32_t)size};
	return r;
}

/* Sections of one name are told apart by their number. */
static uint32_t numbered(const uint32_t *names, size_t n, uint32_t name)
{
	uint32_t pair[2] = {name, 0};

	for (size_t i = 0; i < n; i++)
		pair[1] += names[i] == name;
	return pair[1] ? key_of(pair, sizeof(pair)) : name;
}

static int take_sections(struct elf_landmarks *landmarks, struct elf_file *file)
{
	_cleanup_free_ char *text = NULL;
	uint32_t seen[LANDMARK_PARTS_MAX];
	uint64_t n, names_index;
	struct names names;
	Elf64_Shdr section;
	int r = elf_file_sections(file, &n, &names_index);

	if (r < 0 || n == 0 || names_index == 0)
		return r;
	r = elf_file_section(file, names_index, &section);
	if (r < 0)
		return r;
	r = read_table(file, section.sh_offset, section.sh_size, &text);
	names = (struct names){text, section.sh_size, NAMES_MAX};
	for (uint64_t i = 1; r == 0 && i < n && i < LANDMARK_PARTS_MAX; i++) {
		r = elf_file_section(file, i, &section);
		if (r < 0)
			return r;
		seen[i] = name_key(&names, section.sh_name);
		if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
			range_fits(section.sh_offset, section.sh_size, file->size))
			r = add_part(landmarks, numbered(seen + 1, i - 1, seen[i]), section.sh_offset,
				section.sh_size);
	}
	return r;
}

static int take_segments(struct elf_landmarks *landmarks, const struct elf_file *file)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < file->n_phdrs; i++)
		if (file->phdrs[i].p_type == PT_LOAD &&
			range_fits(file->phdrs[i].p_offset, file->phdrs[i].p_filesz, file->size))
			r = add_part(landmarks, i, file->phdrs[i].p_offset, file->phdrs[i].p_filesz);
	return r;
}

static int compare_parts(const void *a, const void *b)
{
	const struct elf_part *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

/* Sorts the parts, and drops those that overlap the one before. */
static void sort_parts(struct elf_landmarks *landmarks)
{
	size_t kept = 0;

	if (landmarks->n_parts > 1)
		qsort(landmarks->parts, landmarks->n_parts, sizeof(*landmarks->parts), compare_parts);
	for (size_t i = 0; i < landmarks->n_parts; i++) {
		const struct elf_part *last = kept > 0 ? &landmarks->parts[kept - 1] : NULL;

		if (!last || landmarks->parts[i].offset - last->offset >= last->size)
			landmarks->parts[kept++] = landmarks->parts[i];
	}
	landmarks->n_parts = kept;
}

/* ---- landmarks ---- */

static bool is_place(const Elf64_Sym *symbol)
{
	unsigned char type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE && symbol->st_name != 0 &&
		(type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC);
}

/* The table lies in `tables`; its addresses are those of `file`. */
static int take_symbols_of(struct elf_landmarks *landmarks, const struct elf_file *file,
	struct elf_file *tables, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
	_cleanup_free_ Elf64_Sym *symbols = calloc(SYMBOLS_CHUNK, sizeof(*symbols));
	uint64_t n = table->sh_size / elf_file_symbol_size(tables);
	_cleanup_free_ char *text = NULL;
	int r = symbols ? read_table(tables, strings->sh_offset, strings->sh_size, &text) : -ENOMEM;
	struct names names = {text, strings->sh_size, NAMES_MAX};

	if (table->sh_size > TABLE_MAX)
		return 0;
	for (uint64_t at = 0; r == 0 && at < n && names.left > 0; at += SYMBOLS_CHUNK) {
		size_t count = n - at < SYMBOLS_CHUNK ? (size_t)(n - at) : SYMBOLS_CHUNK;

		r = elf_file_symbols(tables, table->sh_offset, at, count, symbols);
		for (size_t i = 0; r == 0 && i < count && names.left > 0; i++)
			if (is_place(&symbols[i]) && symbols[i].st_name < names.size)
				r = add_mark(landmarks, file, symbols[i].st_value,
					name_key(&names, symbols[i].st_name) | 1);
	}
	return r;
}

/* Takes the first symbol table of that type in `tables`, which is the file itself or was split from it. */
static int take_symbols(
	struct elf_landmarks *landmarks, const struct elf_file *file, struct elf_file *tables, uint32_t type)
{
	uint64_t n, names;
	int r = elf_file_sections(tables, &n, &names);

	for (uint64_t i = 1; r == 0 && i < n && i < SECTIONS_MAX; i++) {
		Elf64_Shdr table, strings;

		r = elf_file_section(tables, i, &table);
		if (r < 0 || table.sh_type != type)
			continue;
		r = elf_file_section(tables, table.sh_link, &strings);
		return r < 0 ? r : take_symbols_of(landmarks, file, tables, &table, &strings);
	}
	return r;
}

/* The distances from one function to the next, of NEIGHBOURS of them, are the key of the first. */
static int take_functions(struct elf_landmarks *landmarks, struct elf_file *file)
{
	_cleanup_free_ uint64_t *starts = NULL;
	size_t count;
	int r = elf_unwind_starts(file, &starts, &count);

	for (size_t i = 0; r == 0 && i + NEIGHBOURS < count; i++) {
		uint32_t distances[NEIGHBOURS];

		for (size_t j = 0; j < NEIGHBOURS; j++)
			distances[j] = (uint32_t)(starts[i + j + 1] - starts[i + j]);
		r = add_mark(landmarks, file, starts[i], key_of(distances, sizeof(distances)) & ~1u);
	}
	return r;
}

static int compare_keys(const void *a, const void *b)
{
	const struct elf_landmark *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct elf_landmark *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Leaves the keys that lead to one place, each once, and sorts them by place. .symtab repeats what .dynsym has. */
static void leave_unique(struct elf_landmarks *landmarks)
{
	struct elf_landmark *marks = landmarks->marks;
	size_t n = landmarks->n_marks, kept = 0;

	if (n == 0)
		return;
	qsort(marks, n, sizeof(*marks), compare_keys);
	for (size_t i = 0, next; i < n; i = next) {
		struct elf_landmark first = marks[i];

		for (next = i + 1; next < n && marks[next].key == first.key;)
			next++;
		if (marks[next - 1].offset == first.offset)
			marks[kept++] = first;
	}
	landmarks->n_marks = kept;
	if (kept > 1)
		qsort(marks, kept, sizeof(*marks), compare_offsets);
}

/* A table that cannot be read is as good as none. */
static int forgive(int r)
{
	return r == -ENOEXEC ? 0 : r;
}

int elf_landmarks_read(int fd, struct elf_file *symbols, struct elf_landmarks *ret)
{
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks landmarks = {0};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem;
	int r = elf_file_open(&file, fd, &problem);

	if (r == 0)
		r = elf_file_take_phdrs(&file, &problem);
	if (r == 0 && file.n_phdrs > SEGMENTS_MAX)
		r = -ENOEXEC;
	if (r < 0)
		return r;
	r = forgive(take_sections(&landmarks, &file));
	if (r == 0 && landmarks.n_parts == 0)
		r = take_segments(&landmarks, &file);
	if (r == 0)
		r = forgive(take_symbols(&landmarks, &file, &file, SHT_SYMTAB));
	if (r == 0 && symbols)
		r = forgive(take_symbols(&landmarks, &file, symbols, SHT_SYMTAB));
	if (r == 0)
		r = forgive(take_symbols(&landmarks, &file, &file, SHT_DYNSYM));
	if (r == 0)
		r = forgive(take_functions(&landmarks, &file));
	if (r < 0)
		return r;
	sort_parts(&landmarks);
	leave_unique(&landmarks);
	*ret = landmarks;
	landmarks = (struct elf_landmarks){0};
	return 0;
}

static void sort_marks(struct elf_landmarks *landmarks)
{
	struct elf_landmark *marks = landmarks->marks;
	size_t kept = 0;

	if (landmarks->n_marks > 1)
		qsort(marks, landmarks->n_marks, sizeof(*marks), compare_offsets);
	for (size_t i = 0; i < landmarks->n_marks; i++)
		if (kept == 0 || compare_offsets(&marks[kept - 1], &marks[i]) < 0)
			marks[kept++] = marks[i];
	landmarks->n_marks = kept;
}

static int add(struct elf_landmarks *to, const struct elf_landmarks *from)
{
	int r = ARRAY_RESERVE(to->parts, to->parts_capacity, to->n_parts + from->n_parts);

	if (r == 0)
		r = ARRAY_RESERVE(to->marks, to->marks_capacity, to->n_marks + from->n_marks);
	if (r < 0)
		return r;
	for (size_t i = 0; i < from->n_parts; i++)
		to->parts[to->n_parts++] = from->parts[i];
	for (size_t i = 0; i < from->n_marks; i++)
		to->marks[to->n_marks++] = from->marks[i];
	sort_parts(to);
	sort_marks(to);
	if (to->n_parts > LANDMARK_PARTS_MAX)
		to->n_parts = LANDMARK_PARTS_MAX;
	return 0;
}

int elf_landmarks_add(struct elf_landmarks **to, const struct elf_landmarks *from)
{
	if (!from)
		return 0;
	if (!*to)
		*to = calloc(1, sizeof(**to));
	return *to ? add(*to, from) : -ENOMEM;
}

bool elf_landmarks_good(const struct elf_landmarks *landmarks)
{
	uint64_t end = 0; /* of the part before */

	if (landmarks->n_parts > LANDMARK_PARTS_MAX)
		return false;
	for (size_t i = 0; i < landmarks->n_parts; i++) {
		const struct elf_part *part = &landmarks->parts[i];

		if (part->size == 0 || part->offset < end || part->size > UINT32_MAX - part->offset)
			return false;
		end = (uint64_t)part->offset + part->size;
	}
	for (size_t i = 1; i < landmarks->n_marks; i++)
		if (compare_offsets(&landmarks->marks[i - 1], &landmarks->marks[i]) >= 0)
			return false;
	return true;
}
