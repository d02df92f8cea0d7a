/* SPDX-License-Identifier: MIT */
/* Headers and tables by the gABI, "ELF Header", "Sections", "Symbol Table", "Program Header", "Dynamic
 * Section". */
#include "elf/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/notes.h"

#define NATIVE_IS_BIG    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define SECTION_NAME_MAX 32 /* bytes of a name that is looked for, its NUL included */

/* A number in a record: its offset and size in the 64-bit record and in the 32-bit one. */
struct field {
	uint8_t at, size, at32, size32;
};

struct record {
	uint8_t size, size32, n_fields;
	const struct field *fields;
};

#define FIELD(type, name)                                                                                    \
	{                                                                                                    \
		offsetof(Elf64_##type, name), sizeof(((Elf64_##type *)NULL)->name),                          \
			offsetof(Elf32_##type, name), sizeof(((Elf32_##type *)NULL)->name)                   \
	}
#define RECORD(type, fields)                                                                                 \
	{                                                                                                    \
		sizeof(Elf64_##type), sizeof(Elf32_##type), sizeof(fields) / sizeof((fields)[0]), fields     \
	}

static const struct field header_fields[] = {FIELD(Ehdr, e_type), FIELD(Ehdr, e_machine),
	FIELD(Ehdr, e_version), FIELD(Ehdr, e_entry), FIELD(Ehdr, e_phoff), FIELD(Ehdr, e_shoff),
	FIELD(Ehdr, e_flags), FIELD(Ehdr, e_ehsize), FIELD(Ehdr, e_phentsize), FIELD(Ehdr, e_phnum),
	FIELD(Ehdr, e_shentsize), FIELD(Ehdr, e_shnum), FIELD(Ehdr, e_shstrndx)};
static const struct field phdr_fields[] = {FIELD(Phdr, p_type), FIELD(Phdr, p_flags), FIELD(Phdr, p_offset),
	FIELD(Phdr, p_vaddr), FIELD(Phdr, p_paddr), FIELD(Phdr, p_filesz), FIELD(Phdr, p_memsz),
	FIELD(Phdr, p_align)};
static const struct field section_fields[] = {FIELD(Shdr, sh_name), FIELD(Shdr, sh_type),
	FIELD(Shdr, sh_flags), FIELD(Shdr, sh_addr), FIELD(Shdr, sh_offset), FIELD(Shdr, sh_size),
	FIELD(Shdr, sh_link), FIELD(Shdr, sh_info), FIELD(Shdr, sh_addralign), FIELD(Shdr, sh_entsize)};
static const struct field symbol_fields[] = {FIELD(Sym, st_name), FIELD(Sym, st_info), FIELD(Sym, st_other),
	FIELD(Sym, st_shndx), FIELD(Sym, st_value), FIELD(Sym, st_size)};
static const struct field dynamic_fields[] = {FIELD(Dyn, d_tag), FIELD(Dyn, d_un.d_val)};

static const struct record header_record = RECORD(Ehdr, header_fields);
static const struct record phdr_record = RECORD(Phdr, phdr_fields);
static const struct record section_record = RECORD(Shdr, section_fields);
static const struct record symbol_record = RECORD(Sym, symbol_fields);
static const struct record dynamic_record = RECORD(Dyn, dynamic_fields);

#define LARGEST_RECORD sizeof(Elf64_Shdr)
_Static_assert(LARGEST_RECORD >= sizeof(Elf64_Ehdr) && LARGEST_RECORD >= sizeof(Elf64_Phdr), "the largest");

static size_t record_size(const struct elf_file *file, const struct record *record)
{
	return file->wide ? record->size : record->size32;
}

static uint64_t number(const uint8_t *at, size_t size, bool big)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * (big ? size - 1 - i : i);
	return value;
}

static void store(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * (NATIVE_IS_BIG ? size - 1 - i : i));
}

/* `n` records at an offset, in the 64-bit layout and this machine's byte order. */
static int read_records(
	struct elf_file *file, const struct record *record, uint64_t offset, uint64_t n, void *ret)
{
	size_t size = record_size(file, record);
	uint8_t *to = ret, raw[LARGEST_RECORD];

	if (!table_fits(offset, n, size, file->size))
		return -ENOEXEC;
	if (file->wide && file->big == NATIVE_IS_BIG)
		return elf_file_read(file, offset, ret, n * size);
	for (; n > 0; n--, offset += size, to += record->size) {
		int r = elf_file_read(file, offset, raw, size);

		if (r < 0)
			return r;
		for (size_t i = 0; i < record->n_fields; i++) {
			const struct field *field = &record->fields[i];
			uint64_t value = file->wide ? number(raw + field->at, field->size, file->big)
						    : number(raw + field->at32, field->size32, file->big);

			store(to + field->at, field->size, value);
		}
	}
	return 0;
}

static int read_whole(const struct elf_file *file, uint64_t offset, void *data, size_t size)
{
	ssize_t n = pread_full(file->fd, data, size, (off_t)offset);

	if (n < 0)
		return (int)n;
	return (size_t)n == size ? 0 : -ENOEXEC;
}

/* Reads a whole page for small reads: headers lie together, and so do names. */
static int read_page(struct elf_file *file, uint64_t at)
{
	ssize_t n;

	if (file->page_size > 0 && file->page_at == at)
		return 0;
	file->page_size = 0;
	n = pread_full(file->fd, file->page, sizeof(file->page), (off_t)at);
	if (n < 0)
		return (int)n;
	file->page_at = at;
	file->page_size = (size_t)n;
	return 0;
}

int elf_file_read(struct elf_file *file, uint64_t offset, void *data, uint64_t size)
{
	uint8_t *to = data;

	if (!range_fits(offset, size, file->size))
		return -ENOEXEC;
	if (!file->data && size > ELF_FILE_PAGE)
		return read_whole(file, offset, data, size);
	while (size > 0) {
		uint64_t at = offset % ELF_FILE_PAGE;
		size_t n = size < ELF_FILE_PAGE - at ? size : ELF_FILE_PAGE - at;
		int r = file->data ? 0 : read_page(file, offset - at);

		if (r < 0)
			return r;
		if (!file->data && at + n > file->page_size)
			return -ENOEXEC;
		memcpy(to, file->data ? file->data + offset : file->page + at, n);
		to += n;
		offset += n;
		size -= n;
	}
	return 0;
}

static int read_header(struct elf_file *file, const char **ret_problem)
{
	uint8_t ident[EI_NIDENT] = {0};
	int r = elf_file_read(file, 0, ident, file->size < EI_NIDENT ? file->size : EI_NIDENT);

	if (r < 0 && r != -ENOEXEC)
		return r;
	*ret_problem = "is not an ELF file";
	if (r < 0 || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	*ret_problem = "is truncated: it ends within the ELF header";
	if (file->size < EI_NIDENT)
		return -ENOEXEC;
	*ret_problem = "is an ELF file of an unknown class or byte order";
	if ((ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
		(ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	file->wide = ident[EI_CLASS] == ELFCLASS64;
	file->big = ident[EI_DATA] == ELFDATA2MSB;
	*ret_problem = "is truncated: it ends within the ELF header";
	r = read_records(file, &header_record, 0, 1, &file->header);
	memcpy(file->header.e_ident, ident, EI_NIDENT);
	return r;
}

int elf_file_in_memory(struct elf_file *ret, const uint8_t *data, uint64_t size, const char **ret_problem)
{
	*ret = (struct elf_file){.data = data, .fd = -1, .size = size};
	return read_header(ret, ret_problem);
}

int elf_file_open(struct elf_file *ret, int fd, const char **ret_problem)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret = (struct elf_file){.fd = fd, .size = (uint64_t)st.st_size};
	return read_header(ret, ret_problem);
}

void elf_file_release(struct elf_file *file)
{
	free(file->phdrs);
	file->phdrs = NULL;
	file->n_phdrs = 0;
}

int elf_file_take_phdrs(struct elf_file *file, const char **ret_problem)
{
	const Elf64_Ehdr *header = &file->header;
	_cleanup_free_ Elf64_Phdr *phdrs = NULL;
	int r;

	if (header->e_phnum == 0)
		return 0;
	*ret_problem = "has more program headers than can be loaded";
	if (header->e_phnum == PN_XNUM)
		return -ENOEXEC;
	*ret_problem = "has headers of an unknown size";
	if (header->e_phentsize != record_size(file, &phdr_record))
		return -ENOEXEC;
	*ret_problem = "is truncated: the program headers lie beyond the end of the file";
	if (!table_fits(header->e_phoff, header->e_phnum, header->e_phentsize, file->size))
		return -ENOEXEC;
	phdrs = calloc(header->e_phnum, sizeof(*phdrs));
	if (!phdrs)
		return -ENOMEM;
	r = read_records(file, &phdr_record, header->e_phoff, header->e_phnum, phdrs);
	if (r < 0)
		return r;
	file->phdrs = TAKE_PTR(phdrs);
	file->n_phdrs = header->e_phnum;
	return 0;
}

const Elf64_Phdr *elf_file_phdr(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->n_phdrs; i++)
		if (file->phdrs[i].p_type == type)
			return &file->phdrs[i];
	return NULL;
}

bool elf_file_at(const struct elf_file *file, uint64_t address, uint64_t *ret_offset, uint64_t *ret_left)
{
	for (size_t i = 0; i < file->n_phdrs; i++) {
		const Elf64_Phdr *load = &file->phdrs[i];

		if (load->p_type != PT_LOAD || address < load->p_vaddr ||
			address - load->p_vaddr >= load->p_filesz)
			continue;
		*ret_left = load->p_filesz - (address - load->p_vaddr);
		return !__builtin_add_overflow(load->p_offset, address - load->p_vaddr, ret_offset);
	}
	return false;
}

int elf_file_string(struct elf_file *file, uint64_t offset, uint64_t left, char **ret)
{
	char text[ELF_STRING_MAX], *copy;
	uint64_t limit = left < sizeof(text) ? left : sizeof(text), length = 0;
	bool ends = false;

	if (offset >= file->size)
		return -ENOEXEC;
	if (limit > file->size - offset)
		limit = file->size - offset;
	while (length < limit && !ends) { /* reads no page beyond the string's end */
		uint64_t n = ELF_FILE_PAGE - (offset + length) % ELF_FILE_PAGE;
		int r;

		if (n > limit - length)
			n = limit - length;
		r = elf_file_read(file, offset + length, text + length, n);
		if (r < 0)
			return r;
		ends = memchr(text + length, '\0', n) != NULL;
		length += n;
	}
	if (!ends)
		return -ENOEXEC;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int elf_file_dynamic(struct elf_file *file, const Elf64_Phdr *phdr, struct elf_dynamic *ret)
{
	_cleanup_(elf_dynamic_releasep) struct elf_dynamic dynamic = {0};
	size_t n; /* an incomplete entry at the end does not count */
	int r;

	if (phdr->p_filesz > ELF_DYNAMIC_MAX)
		return -ENOEXEC;
	n = phdr->p_filesz / record_size(file, &dynamic_record);
	dynamic.entries = calloc(n + 1, sizeof(*dynamic.entries));
	if (!dynamic.entries)
		return -ENOMEM;
	r = read_records(file, &dynamic_record, phdr->p_offset, n, dynamic.entries);
	if (r < 0)
		return r;
	for (; dynamic.entries[dynamic.n].d_tag != DT_NULL; dynamic.n++) {
		const Elf64_Dyn *entry = &dynamic.entries[dynamic.n];

		if (entry->d_tag == DT_STRTAB)
			dynamic.strings = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRSZ)
			dynamic.strings_size = entry->d_un.d_val;
	}
	*ret = dynamic;
	dynamic.entries = NULL;
	return 0;
}

void elf_dynamic_release(struct elf_dynamic *dynamic)
{
	free(dynamic->entries);
	*dynamic = (struct elf_dynamic){0};
}

int elf_file_dynamic_string(struct elf_file *file, const struct elf_dynamic *dynamic, uint64_t at, char **ret)
{
	uint64_t address, offset, left;

	if (at >= dynamic->strings_size || __builtin_add_overflow(dynamic->strings, at, &address) ||
		!elf_file_at(file, address, &offset, &left))
		return -ENOEXEC;
	if (left > dynamic->strings_size - at)
		left = dynamic->strings_size - at;
	return elf_file_string(file, offset, left, ret);
}

int elf_file_note(struct elf_file *file, const char owner[4], uint32_t type, uint8_t *descriptor,
	size_t capacity, size_t *ret_size)
{
	uint64_t searched = 0;

	for (size_t i = 0; i < file->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &file->phdrs[i];
		struct elf_notes notes = {.size = phdr->p_filesz,
			.align = phdr->p_align,
			.swapped = file->big != NATIVE_IS_BIG};
		_cleanup_free_ uint8_t *data = NULL;
		const uint8_t *found;
		size_t size;
		int r;

		if (!elf_notes_to_search(phdr, file->size, &searched))
			continue;
		data = malloc(phdr->p_filesz + 1);
		if (!data)
			return -ENOMEM;
		r = elf_file_read(file, phdr->p_offset, data, phdr->p_filesz);
		if (r < 0)
			return r;
		notes.data = data;
		found = elf_notes_find(&notes, owner, type, &size);
		if (!found)
			continue;
		*ret_size = size < capacity ? size : capacity;
		memcpy(descriptor, found, *ret_size);
		return 0;
	}
	return -ENODATA;
}

int elf_file_sections(struct elf_file *file, uint64_t *ret_n, uint64_t *ret_names)
{
	uint64_t n = file->header.e_shnum, names = file->header.e_shstrndx;
	Elf64_Shdr first;

	/* If there are more sections than the header can count, the first one has the number. */
	if (file->header.e_shoff != 0 && (n == 0 || names == SHN_XINDEX)) {
		int r = elf_file_section(file, 0, &first);

		if (r < 0)
			return r;
		n = n == 0 ? first.sh_size : n;
		names = names == SHN_XINDEX ? first.sh_link : names;
	}
	if (file->header.e_shoff == 0)
		n = 0;
	if (!table_fits(file->header.e_shoff, n, record_size(file, &section_record), file->size))
		return -ENOEXEC;
	*ret_n = n;
	*ret_names = names < n ? names : 0;
	return 0;
}

/* The record at `index` of the table at an offset, and those after it. */
static int read_table(struct elf_file *file, const struct record *record, uint64_t offset, uint64_t index,
	uint64_t n, void *ret)
{
	size_t size = record_size(file, record);

	if (index > file->size || !table_fits(offset, index + n, size, file->size))
		return -ENOEXEC;
	return read_records(file, record, offset + index * size, n, ret);
}

size_t elf_file_symbol_size(const struct elf_file *file)
{
	return record_size(file, &symbol_record);
}

int elf_file_section(struct elf_file *file, uint64_t index, Elf64_Shdr *ret)
{
	return read_table(file, &section_record, file->header.e_shoff, index, 1, ret);
}

int elf_file_symbols(struct elf_file *file, uint64_t offset, uint64_t index, size_t n, Elf64_Sym *ret)
{
	return read_table(file, &symbol_record, offset, index, n, ret);
}

/* Whether the section has that name in the table of names. Returns 1, 0 or negative errno. */
static int is_named(
	struct elf_file *file, const Elf64_Shdr *names, const Elf64_Shdr *section, const char *name)
{
	char found[SECTION_NAME_MAX];
	size_t size = strlen(name) + 1;
	uint64_t at;
	int r;

	if (size > sizeof(found) || !range_fits(section->sh_name, size, names->sh_size) ||
		__builtin_add_overflow(names->sh_offset, section->sh_name, &at))
		return 0;
	r = elf_file_read(file, at, found, size);
	return r < 0 ? r : memcmp(found, name, size) == 0;
}

int elf_file_section_named(struct elf_file *file, const char *name, Elf64_Shdr *ret)
{
	Elf64_Shdr names, section;
	uint64_t n, names_index;
	int r = elf_file_sections(file, &n, &names_index);

	if (r == 0 && names_index == 0)
		return -ENODATA;
	if (r == 0)
		r = elf_file_section(file, names_index, &names);
	for (uint64_t i = 1; r == 0 && i < n; i++) {
		r = elf_file_section(file, i, &section);
		if (r < 0 || section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS)
			continue;
		r = is_named(file, &names, &section, name);
		if (r == 1 && !range_fits(section.sh_offset, section.sh_size, file->size))
			return -ENOEXEC;
		if (r == 1)
			*ret = section;
	}
	return r == 1 ? 0 : r == 0 ? -ENODATA : r;
}
