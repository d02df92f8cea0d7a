/* SPDX-License-Identifier: MIT */
/* What an ELF file asks of the dynamic linker, by its program headers (gABI, "Program Loading and Dynamic
 * Linking"). */
#include "elf/needs.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/io.h"

#define DYNAMIC_MAX (64u << 10)  /* bytes of a PT_DYNAMIC segment */
#define NOTES_MAX   (64u << 10)  /* bytes of a PT_NOTE segment worth looking through */
#define STRING_MAX  (4u << 10)   /* bytes of a name or a list of folders */
#define SYMBOLS_MAX (256u << 20) /* bytes of a dynamic symbol table */
#define NEEDED_MAX  4096u        /* libraries of one object */
#define GO_NOTE     4u           /* ELF_NOTE_GOBUILDID_TAG of Go's cmd/internal/buildid */

struct reading {
	int fd;
	Elf64_Ehdr header;
	Elf64_Phdr *phdrs;  /* owned */
	Elf64_Dyn *dynamic; /* owned; a DT_NULL follows the last */
	size_t n_dynamic;
	uint64_t strings, strings_size; /* DT_STRTAB, DT_STRSZ */
};

static int read_at(int fd, uint64_t offset, void *data, size_t size)
{
	ssize_t n;

	if (offset > INT64_MAX - size)
		return -ENOEXEC;
	n = pread_full(fd, data, size, (off_t)offset);
	if (n < 0)
		return (int)n;
	return (size_t)n == size ? 0 : -ENOEXEC;
}

/* A string of at most STRING_MAX bytes that begins there and ends before `size` bytes. *ret is the caller's.
 */
static int read_string(int fd, uint64_t offset, uint64_t size, char **ret)
{
	char text[STRING_MAX];
	ssize_t n = pread(fd, text, size < sizeof(text) ? size : sizeof(text), (off_t)offset);
	char *copy;

	if (n < 0)
		return -errno;
	if (!memchr(text, '\0', (size_t)n))
		return -ENOEXEC;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

static int read_interpreter(int fd, uint64_t offset, uint64_t size, struct elf_needs *needs)
{
	_cleanup_free_ char *path = NULL;
	int r = needs->interpreter ? -EEXIST : read_string(fd, offset, size, &path);

	if (r == 0 && path[0] == '/')
		needs->interpreter = TAKE_PTR(path);
	return r == -ENOMEM ? r : 0;
}

/* Whether one of the notes is the one that Go's linker writes into every program. */
static bool find_go_note(int fd, const Elf64_Phdr *phdr)
{
	_cleanup_free_ char *notes = NULL;
	uint64_t at = 0;

	if (phdr->p_filesz > NOTES_MAX)
		return false;
	notes = malloc(phdr->p_filesz + 1);
	if (!notes || read_at(fd, phdr->p_offset, notes, phdr->p_filesz) < 0)
		return false;
	while (range_fits(at, sizeof(Elf64_Nhdr), phdr->p_filesz)) {
		uint64_t name = at + sizeof(Elf64_Nhdr);
		Elf64_Nhdr note;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_type == GO_NOTE && note.n_namesz == 4 && range_fits(name, 4, phdr->p_filesz) &&
			memcmp(notes + name, "Go\0", 4) == 0)
			return true;
		at = name + (((uint64_t)note.n_namesz + 3) & ~3ull) + (((uint64_t)note.n_descsz + 3) & ~3ull);
	}
	return false;
}

/* The place in the file of what is loaded at the address, and how much follows it in the segment. */
static bool file_offset(
	const struct reading *reading, uint64_t address, uint64_t *ret_offset, uint64_t *ret_left)
{
	for (size_t i = 0; i < reading->header.e_phnum; i++) {
		const Elf64_Phdr *phdr = &reading->phdrs[i];

		if (phdr->p_type != PT_LOAD || address < phdr->p_vaddr ||
			address - phdr->p_vaddr >= phdr->p_filesz)
			continue;
		*ret_left = phdr->p_filesz - (address - phdr->p_vaddr);
		return !__builtin_add_overflow(phdr->p_offset, address - phdr->p_vaddr, ret_offset) &&
		       *ret_offset <= INT64_MAX;
	}
	return false;
}

/* A string of the dynamic string table. *ret, where it was NULL before, is the caller's. */
static int dynamic_string(const struct reading *reading, uint64_t at, char **ret)
{
	uint64_t address, offset, left;

	if (*ret)
		return 0;
	if (at >= reading->strings_size || __builtin_add_overflow(reading->strings, at, &address) ||
		!file_offset(reading, address, &offset, &left))
		return -ENOEXEC;
	if (left > reading->strings_size - at)
		left = reading->strings_size - at;
	return read_string(reading->fd, offset, left, ret);
}

static int add_needed(const struct reading *reading, uint64_t at, struct elf_needs *needs)
{
	int r;

	if (needs->n_needed >= NEEDED_MAX)
		return -ENOEXEC;
	r = ARRAY_RESERVE(needs->needed, needs->needed_capacity, needs->n_needed + 1);
	if (r < 0)
		return r;
	needs->needed[needs->n_needed] = NULL;
	r = dynamic_string(reading, at, &needs->needed[needs->n_needed]);
	if (r == 0)
		needs->n_needed++;
	return r;
}

static int read_dynamic(struct reading *reading, const Elf64_Phdr *phdr, struct elf_needs *needs)
{
	size_t n = phdr->p_filesz / sizeof(Elf64_Dyn); /* a piece of one at the end is none */
	int r;

	if (phdr->p_filesz > DYNAMIC_MAX || reading->dynamic)
		return -ENOEXEC;
	reading->dynamic = calloc(n + 1, sizeof(Elf64_Dyn));
	if (!reading->dynamic)
		return -ENOMEM;
	r = read_at(reading->fd, phdr->p_offset, reading->dynamic, n * sizeof(Elf64_Dyn));
	if (r < 0)
		return r;
	needs->is_dynamic = true;
	for (; reading->dynamic[reading->n_dynamic].d_tag != DT_NULL; reading->n_dynamic++) {
		const Elf64_Dyn *entry = &reading->dynamic[reading->n_dynamic];

		if (entry->d_tag == DT_STRTAB)
			reading->strings = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRSZ)
			reading->strings_size = entry->d_un.d_val;
		else if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_STATIC_TLS))
			needs->static_tls = true;
		else if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_PIE))
			needs->is_program = true;
	}
	return 0;
}

static int take_strings(const struct reading *reading, struct elf_needs *needs)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reading->n_dynamic; i++) {
		uint64_t at = reading->dynamic[i].d_un.d_val;

		if (reading->dynamic[i].d_tag == DT_NEEDED)
			r = add_needed(reading, at, needs);
		else if (reading->dynamic[i].d_tag == DT_RUNPATH)
			r = dynamic_string(reading, at, &needs->runpath);
		else if (reading->dynamic[i].d_tag == DT_RPATH)
			r = dynamic_string(reading, at, &needs->rpath);
	}
	return r;
}

/* Whether a symbol of the table is a thread-local variable that is defined here. In doubt there is one. */
static bool any_tls_symbol(int fd, const Elf64_Shdr *table)
{
	Elf64_Sym symbols[512];
	uint64_t left = table->sh_size / sizeof(Elf64_Sym), at = table->sh_offset;

	if (table->sh_size > SYMBOLS_MAX)
		return true;
	while (left > 0) {
		size_t n = left < 512 ? (size_t)left : 512;

		if (read_at(fd, at, symbols, n * sizeof(Elf64_Sym)) < 0)
			return true;
		for (size_t i = 0; i < n; i++)
			if (ELF64_ST_TYPE(symbols[i].st_info) == STT_TLS && symbols[i].st_shndx != SHN_UNDEF)
				return true;
		at += n * sizeof(Elf64_Sym);
		left -= n;
	}
	return false;
}

/* Program headers do not tell how many dynamic symbols there are; section headers do, and are there nearly
 * always. */
static bool exports_tls(const struct reading *reading)
{
	for (size_t i = 0; i < reading->header.e_shnum; i++) {
		Elf64_Shdr section;
		uint64_t at;

		if (__builtin_add_overflow(reading->header.e_shoff, i * sizeof(section), &at) ||
			read_at(reading->fd, at, &section, sizeof(section)) < 0)
			return true;
		if (section.sh_type == SHT_DYNSYM)
			return any_tls_symbol(reading->fd, &section);
	}
	return true;
}

static int take_load(const Elf64_Phdr *phdr, struct elf_needs *needs)
{
	uint64_t end;

	if (__builtin_add_overflow(phdr->p_offset, phdr->p_filesz, &end))
		return -ENOEXEC;
	if (end > needs->loaded_size)
		needs->loaded_size = end;
	return 0;
}

static int take_tls(const Elf64_Phdr *phdr, struct elf_needs *needs)
{
	uint64_t align = phdr->p_align ? phdr->p_align : 1;

	if ((align & (align - 1)) != 0)
		return -ENOEXEC;
	needs->tls_size = phdr->p_memsz;
	needs->tls_align = align;
	return 0;
}

static int read_64(struct reading *reading, struct elf_needs *needs)
{
	size_t size;
	int r = read_at(reading->fd, 0, &reading->header, sizeof(reading->header));

	if (r < 0)
		return r;
	needs->machine = reading->header.e_machine;
	needs->is_program = reading->header.e_type == ET_EXEC;
	if (reading->header.e_phentsize != sizeof(Elf64_Phdr) || reading->header.e_phnum == PN_XNUM)
		return -ENOEXEC;
	size = reading->header.e_phnum * sizeof(Elf64_Phdr);
	reading->phdrs = malloc(size + 1);
	if (!reading->phdrs)
		return -ENOMEM;
	r = read_at(reading->fd, reading->header.e_phoff, reading->phdrs, size);
	for (size_t i = 0; r == 0 && i < reading->header.e_phnum; i++) {
		const Elf64_Phdr *phdr = &reading->phdrs[i];

		if (phdr->p_type == PT_INTERP)
			r = read_interpreter(reading->fd, phdr->p_offset, phdr->p_filesz, needs);
		else if (phdr->p_type == PT_DYNAMIC)
			r = read_dynamic(reading, phdr, needs);
		else if (phdr->p_type == PT_LOAD)
			r = take_load(phdr, needs);
		else if (phdr->p_type == PT_TLS)
			r = take_tls(phdr, needs);
		else if (phdr->p_type == PT_NOTE && find_go_note(reading->fd, phdr))
			needs->is_go = true;
	}
	if (r == 0)
		r = take_strings(reading, needs);
	if (r == 0 && needs->tls_size > 0 && !needs->static_tls)
		needs->static_tls = exports_tls(reading);
	return r;
}

/* Of a 32-bit file, which no shim is for, just enough to say what it is. */
static int read_32(int fd, struct elf_needs *needs)
{
	Elf32_Ehdr header;
	int r = read_at(fd, 0, &header, sizeof(header));

	if (r < 0)
		return r;
	needs->is_32bit = true;
	needs->machine = header.e_machine;
	for (size_t i = 0; i < header.e_phnum && header.e_phentsize == sizeof(Elf32_Phdr); i++) {
		Elf32_Phdr phdr;

		r = read_at(fd, header.e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr));
		if (r == 0 && phdr.p_type == PT_INTERP)
			r = read_interpreter(fd, phdr.p_offset, phdr.p_filesz, needs);
		if (r < 0)
			return r;
		needs->is_dynamic |= phdr.p_type == PT_DYNAMIC;
	}
	return 0;
}

static int read_any(int fd, struct elf_needs *needs)
{
	struct reading reading = {.fd = fd};
	unsigned char ident[EI_NIDENT];
	int r = read_at(fd, 0, ident, sizeof(ident));

	if (r < 0)
		return r;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	if (ident[EI_CLASS] == ELFCLASS32)
		return read_32(fd, needs);
	if (ident[EI_CLASS] != ELFCLASS64)
		return -ENOEXEC;
	r = read_64(&reading, needs);
	free(reading.phdrs);
	free(reading.dynamic);
	return r;
}

int elf_needs_read(int fd, struct elf_needs *ret)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {.tls_align = 1};
	int r = read_any(fd, &needs);

	if (r < 0)
		return r;
	*ret = needs;
	needs = (struct elf_needs){0};
	return 0;
}

void elf_needs_release(struct elf_needs *needs)
{
	for (size_t i = 0; i < needs->n_needed; i++)
		free(needs->needed[i]);
	free(needs->needed);
	free(needs->interpreter);
	free(needs->runpath);
	free(needs->rpath);
	*needs = (struct elf_needs){0};
}
