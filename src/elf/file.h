/* SPDX-License-Identifier: MIT */
/*
 * The one reader of ELF files: headers, tables and bytes, each checked against the size of the file before it is used.
 * The file is in memory, or is read with pread(2) and never mapped, so that truncating it causes a short read and no
 * SIGBUS. The reader also reads 32-bit files and those of the other byte order; everything it returns has the 64-bit
 * layout and this machine's byte order. The file may be hostile.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_FILE_PAGE   4096u       /* bytes */
#define ELF_STRING_MAX  (4u << 10)  /* bytes of a string, its NUL included */
#define ELF_DYNAMIC_MAX (64u << 10) /* bytes of a PT_DYNAMIC segment */

struct elf_file {
	const uint8_t *data; /* borrowed: the whole file; NULL if it is read from fd */
	int fd;              /* borrowed; with data, it may be set to say which file that was; or -1 */
	uint64_t size;       /* bytes of the file; the caller may reduce it */
	bool wide, big;      /* 64 bits; most significant byte first */
	Elf64_Ehdr header;
	Elf64_Phdr *phdrs; /* owned; NULL until elf_file_take_phdrs() */
	size_t n_phdrs;
	/* Private: the last page read. */
	uint64_t page_at;
	size_t page_size; /* bytes of it; 0: none */
	uint8_t page[ELF_FILE_PAGE];
};

/*
 * Read the ELF header. Return 0; -ENOEXEC with *ret_problem (a static string that follows the file's name); or negative
 * errno. After a failure there is nothing to release.
 */
int elf_file_in_memory(struct elf_file *ret, const uint8_t *data, uint64_t size, const char **ret_problem);
int elf_file_open(struct elf_file *ret, int fd, const char **ret_problem);
void elf_file_release(struct elf_file *file);

static inline void elf_file_releasep(struct elf_file *file)
{
	elf_file_release(file);
}

/* Reads bytes of the file. Returns 0, -ENOEXEC if not all of them lie in it, or negative errno. */
int elf_file_read(struct elf_file *file, uint64_t offset, void *data, uint64_t size);

/* Reads the program headers, of which there may be none. Returns as elf_file_open(), or -ENOMEM. */
int elf_file_take_phdrs(struct elf_file *file, const char **ret_problem);

/* The rest are for a file with its program headers. */

/* The first of that type, or NULL. */
const Elf64_Phdr *elf_file_phdr(const struct elf_file *file, uint32_t type);

/* The file offset of what is loaded at the address, and how many bytes follow in the segment. Neither is checked
 * against the size of the file. Returns whether the file has the address. */
bool elf_file_at(const struct elf_file *file, uint64_t address, uint64_t *ret_offset, uint64_t *ret_left);

/*
 * The string at an offset, which must end within `left` bytes and ELF_STRING_MAX. The caller frees *ret. Returns 0,
 * -ENOEXEC, -ENOMEM, or negative errno.
 */
int elf_file_string(struct elf_file *file, uint64_t offset, uint64_t left, char **ret);

/* The dynamic section: its entries before DT_NULL, and the place of its strings. */
struct elf_dynamic {
	Elf64_Dyn *entries; /* owned */
	size_t n;
	uint64_t strings, strings_size; /* DT_STRTAB, DT_STRSZ: address, bytes; 0 if absent */
};

/* Reads the dynamic section of a PT_DYNAMIC. Returns 0, -ENOEXEC, -ENOMEM, or negative errno. */
int elf_file_dynamic(struct elf_file *file, const Elf64_Phdr *phdr, struct elf_dynamic *ret);

void elf_dynamic_release(struct elf_dynamic *dynamic);

static inline void elf_dynamic_releasep(struct elf_dynamic *dynamic)
{
	elf_dynamic_release(dynamic);
}

/* A string of the dynamic string table. Returns as elf_file_string(). */
int elf_file_dynamic_string(
	struct elf_file *file, const struct elf_dynamic *dynamic, uint64_t at, char **ret);

/*
 * The descriptor of the first note of that owner and type (elf/notes.h), in the PT_NOTEs that are searched (elf_notes_to_search()).
 * Of one longer than `capacity`, copies the first bytes. Returns 0, -ENODATA, -ENOMEM, or negative errno.
 */
int elf_file_note(struct elf_file *file, const char owner[4], uint32_t type, uint8_t *descriptor,
	size_t capacity, size_t *ret_size);

/* The number of sections, and which of them has their names (0: none). Returns 0, -ENOEXEC or negative errno. */
int elf_file_sections(struct elf_file *file, uint64_t *ret_n, uint64_t *ret_names);

/* Bytes that one symbol takes in the file. */
size_t elf_file_symbol_size(const struct elf_file *file);

/* Read entries of tables: a section header; and n symbols, from number `index` on, of the table at an offset. Return 0,
 * -ENOEXEC or negative errno. */
int elf_file_section(struct elf_file *file, uint64_t index, Elf64_Shdr *ret);
int elf_file_symbols(struct elf_file *file, uint64_t offset, uint64_t index, size_t n, Elf64_Sym *ret);

/* The first section of that name that has bytes in the file, all of which lie there. Returns 0, -ENODATA, -ENOEXEC or
 * negative errno. */
int elf_file_section_named(struct elf_file *file, const char *name, Elf64_Shdr *ret);
