/* SPDX-License-Identifier: MIT */
/* What an ELF file asks of the dynamic linker, by its program headers (gABI, "Program Loading and Dynamic
 * Linking"). */
#include "elf/needs.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elf/file.h"

#define SYMBOLS_MAX   (256u << 20) /* bytes of a dynamic symbol table */
#define SYMBOLS_CHUNK 128u         /* symbols that are read at once */
#define NEEDED_MAX    4096u        /* libraries of one object */
#define GO_NOTE       4u           /* ELF_NOTE_GOBUILDID_TAG of Go's cmd/internal/buildid */

static int take_interpreter(struct elf_file *file, const Elf64_Phdr *phdr, struct elf_needs *needs)
{
	_cleanup_free_ char *path = NULL;
	int r = needs->interpreter ? -EEXIST : elf_file_string(file, phdr->p_offset, phdr->p_filesz, &path);

	if (r == 0 && path[0] == '/')
		needs->interpreter = TAKE_PTR(path);
	return r == -ENOMEM ? r : 0;
}

static int add_needed(
	struct elf_file *file, const struct elf_dynamic *dynamic, uint64_t at, struct elf_needs *needs)
{
	int r;

	if (needs->n_needed >= NEEDED_MAX)
		return -ENOEXEC;
	r = ARRAY_RESERVE(needs->needed, needs->needed_capacity, needs->n_needed + 1);
	if (r < 0)
		return r;
	r = elf_file_dynamic_string(file, dynamic, at, &needs->needed[needs->n_needed]);
	if (r == 0)
		needs->n_needed++;
	return r;
}

static int take_dynamic(struct elf_file *file, const Elf64_Phdr *phdr, struct elf_needs *needs)
{
	_cleanup_(elf_dynamic_releasep) struct elf_dynamic dynamic = {0};
	int r = needs->is_dynamic ? -ENOEXEC : elf_file_dynamic(file, phdr, &dynamic);

	needs->is_dynamic = true;
	for (size_t i = 0; r == 0 && i < dynamic.n; i++) {
		uint64_t value = dynamic.entries[i].d_un.d_val;

		if (dynamic.entries[i].d_tag == DT_FLAGS)
			needs->static_tls |= (value & DF_STATIC_TLS) != 0;
		else if (dynamic.entries[i].d_tag == DT_FLAGS_1)
			needs->is_program |= (value & DF_1_PIE) != 0;
		else if (dynamic.entries[i].d_tag == DT_NEEDED)
			r = add_needed(file, &dynamic, value, needs);
		else if (dynamic.entries[i].d_tag == DT_RUNPATH && !needs->runpath)
			r = elf_file_dynamic_string(file, &dynamic, value, &needs->runpath);
		else if (dynamic.entries[i].d_tag == DT_RPATH && !needs->rpath)
			r = elf_file_dynamic_string(file, &dynamic, value, &needs->rpath);
	}
	return r;
}

/* Whether a symbol of the table is a thread-local variable that is defined here. In doubt, yes. */
static bool any_tls_symbol(struct elf_file *file, const Elf64_Shdr *table)
{
	Elf64_Sym symbols[SYMBOLS_CHUNK];
	uint64_t n = table->sh_size / elf_file_symbol_size(file);

	if (table->sh_size > SYMBOLS_MAX)
		return true;
	for (uint64_t at = 0; at < n; at += SYMBOLS_CHUNK) {
		size_t count = n - at < SYMBOLS_CHUNK ? (size_t)(n - at) : SYMBOLS_CHUNK;

		if (elf_file_symbols(file, table->sh_offset, at, count, symbols) < 0)
			return true;
		for (size_t i = 0; i < count; i++)
			if (ELF64_ST_TYPE(symbols[i].st_info) == STT_TLS && symbols[i].st_shndx != SHN_UNDEF)
				return true;
	}
	return false;
}

/* Looks at the section headers: program headers do not say how many dynamic symbols there are, and nearly all files
 * have section headers. */
static bool exports_tls(struct elf_file *file)
{
	uint64_t n, names;

	if (elf_file_sections(file, &n, &names) < 0)
		return true;
	for (uint64_t i = 0; i < n; i++) {
		Elf64_Shdr section;

		if (elf_file_section(file, i, &section) < 0)
			return true;
		if (section.sh_type == SHT_DYNSYM)
			return any_tls_symbol(file, &section);
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

static int take_segment(struct elf_file *file, const Elf64_Phdr *phdr, struct elf_needs *needs)
{
	switch (phdr->p_type) {
	case PT_INTERP:
		return take_interpreter(file, phdr, needs);
	case PT_DYNAMIC:
		return take_dynamic(file, phdr, needs);
	case PT_LOAD:
		return take_load(phdr, needs);
	case PT_TLS:
		return take_tls(phdr, needs);
	default:
		return 0;
	}
}

/* Sets is_go if the file has the note that Go's linker writes into every program. */
static int take_go_note(struct elf_file *file, struct elf_needs *needs)
{
	uint8_t id[1];
	size_t size;
	int r = elf_file_note(file, "Go\0", GO_NOTE, id, sizeof(id), &size);

	needs->is_go = r == 0;
	return r == -ENODATA ? 0 : r;
}

/* Reads of a 32-bit file just enough to say what it is: no shim supports it. */
static int take_32(struct elf_file *file, struct elf_needs *needs)
{
	int r = 0;

	needs->is_32bit = true;
	needs->is_dynamic = elf_file_phdr(file, PT_DYNAMIC) != NULL;
	for (size_t i = 0; r == 0 && i < file->n_phdrs; i++)
		if (file->phdrs[i].p_type == PT_INTERP)
			r = take_interpreter(file, &file->phdrs[i], needs);
	return r;
}

static int take_64(struct elf_file *file, struct elf_needs *needs)
{
	int r = file->n_phdrs > 0 ? 0 : -ENOEXEC;

	needs->is_program = file->header.e_type == ET_EXEC;
	for (size_t i = 0; r == 0 && i < file->n_phdrs; i++)
		r = take_segment(file, &file->phdrs[i], needs);
	if (r == 0)
		r = take_go_note(file, needs);
	if (r == 0 && needs->tls_size > 0 && !needs->static_tls)
		needs->static_tls = exports_tls(file);
	return r;
}

int elf_needs_read(int fd, struct elf_needs *ret)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {.tls_align = 1};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem;
	int r = elf_file_open(&file, fd, &problem);

	if (r == 0 && file.big)
		r = -ENOEXEC;
	if (r == 0)
		r = elf_file_take_phdrs(&file, &problem);
	if (r < 0)
		return r;
	needs.machine = file.header.e_machine;
	r = file.wide ? take_64(&file, &needs) : take_32(&file, &needs);
	if (r < 0)
		return r;
	*ret = needs;
	needs = (struct elf_needs){0};
	return 0;
}

uint64_t static_tls_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

bool elf_needs_heeds_audit(const struct elf_needs *needs)
{
	return !needs->is_32bit && needs->interpreter && !strstr(needs->interpreter, "/ld-musl-");
}

uint64_t static_tls_of(const struct elf_needs *needs)
{
	if (needs->is_program || !needs->static_tls || needs->tls_size == 0)
		return 0;
	return static_tls_add(needs->tls_size, needs->tls_align - 1);
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
