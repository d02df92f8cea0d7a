/* SPDX-License-Identifier: MIT */
/*
 * Build-id, soname and loader by the program headers, which is what the loader goes by: section headers may
 * be stripped or lie. Everything is read with pread(2), nothing is mapped: a file that is truncated meanwhile
 * is a short read, no SIGBUS. libelf trusts no size beyond the file's; the limits here keep what it allocates
 * small as well.
 */
#include "elf/identity.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/cleanup.h"

#define NOTES_MAX   (64u << 10) /* bytes of a PT_NOTE segment worth looking through */
#define DYNAMIC_MAX (64u << 10) /* bytes of a PT_DYNAMIC segment */

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

/* *ret is the caller's to elf_end(). */
static int open_elf(int fd, Elf **ret, size_t *ret_phdrs)
{
	_cleanup_(elf_endp) Elf *elf = NULL;
	size_t n;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -ENOEXEC;
	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) < 0 || n > UINT16_MAX)
		return -ENOEXEC;
	*ret = TAKE_PTR(elf);
	*ret_phdrs = n;
	return 0;
}

static bool find_build_id(Elf_Data *notes, uint8_t *id, size_t capacity, size_t *ret_size)
{
	size_t at = 0, name_at, desc_at;
	GElf_Nhdr note;

	while (at < notes->d_size && (at = gelf_getnote(notes, at, &note, &name_at, &desc_at)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
			memcmp((char *)notes->d_buf + name_at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0)
			continue;
		if (note.n_descsz == 0)
			continue;
		*ret_size = note.n_descsz < capacity ? note.n_descsz : capacity;
		memcpy(id, (char *)notes->d_buf + desc_at, *ret_size);
		return true;
	}
	return false;
}

int elf_build_id(int fd, uint8_t *id, size_t capacity, size_t *ret_size)
{
	_cleanup_(elf_endp) Elf *elf = NULL;
	size_t phdrs;
	int r;

	r = open_elf(fd, &elf, &phdrs);
	if (r < 0)
		return r;
	for (size_t i = 0; i < phdrs; i++) {
		GElf_Phdr phdr;
		Elf_Data *notes;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			return -ENOEXEC;
		if (phdr.p_type != PT_NOTE || phdr.p_filesz > NOTES_MAX)
			continue;
		notes = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
			phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (notes && find_build_id(notes, id, capacity, ret_size))
			return 0;
	}
	return -ENODATA;
}

/* The offset in the file of what is loaded at the address. */
static bool file_offset(Elf *elf, size_t phdrs, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < phdrs; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		if (address < phdr.p_vaddr || address - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		return !__builtin_add_overflow(phdr.p_offset, address - phdr.p_vaddr, ret);
	}
	return false;
}

struct soname_place {
	uint64_t strings; /* address of the string table */
	uint64_t size;    /* bytes of it */
	uint64_t name;    /* offset in it */
	bool has_name;
};

static struct soname_place find_soname(Elf_Data *dynamic)
{
	struct soname_place place = {0};
	GElf_Dyn dyn;

	for (int i = 0; gelf_getdyn(dynamic, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag == DT_STRTAB)
			place.strings = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_STRSZ)
			place.size = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_SONAME) {
			place.name = dyn.d_un.d_val;
			place.has_name = true;
		}
	}
	return place;
}

/* The soname itself; one that is not shorter than PATH_MAX or has no end is none. */
static int read_soname(Elf *elf, size_t phdrs, const struct soname_place *place, char **ret)
{
	uint64_t address, offset, length;
	Elf_Data *text;
	char *copy;

	if (!place->has_name)
		return -ENODATA;
	if (place->name >= place->size || __builtin_add_overflow(place->strings, place->name, &address) ||
		!file_offset(elf, phdrs, address, &offset))
		return -ENOEXEC;
	length = place->size - place->name < PATH_MAX ? place->size - place->name : PATH_MAX;
	text = elf_getdata_rawchunk(elf, (int64_t)offset, length, ELF_T_BYTE);
	if (!text || memchr(text->d_buf, '\0', text->d_size) == NULL)
		return -ENOEXEC;
	copy = strdup(text->d_buf);
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int elf_soname(int fd, char **ret)
{
	_cleanup_(elf_endp) Elf *elf = NULL;
	size_t phdrs;
	int r;

	r = open_elf(fd, &elf, &phdrs);
	if (r < 0)
		return r;
	for (size_t i = 0; i < phdrs; i++) {
		GElf_Phdr phdr;
		Elf_Data *dynamic;
		struct soname_place place;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			return -ENOEXEC;
		if (phdr.p_type != PT_DYNAMIC)
			continue;
		if (phdr.p_filesz > DYNAMIC_MAX)
			return -ENOEXEC;
		dynamic = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz, ELF_T_DYN);
		if (!dynamic)
			return -ENOEXEC;
		place = find_soname(dynamic);
		return read_soname(elf, phdrs, &place, ret);
	}
	return -ENODATA;
}

int elf_interpreter(int fd, char *path, size_t size)
{
	_cleanup_(elf_endp) Elf *elf = NULL;
	size_t phdrs;
	int r;

	r = open_elf(fd, &elf, &phdrs);
	if (r < 0)
		return r;
	for (size_t i = 0; i < phdrs; i++) {
		GElf_Phdr phdr;
		ssize_t n;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			return -ENOEXEC;
		if (phdr.p_type != PT_INTERP)
			continue;
		if (phdr.p_filesz >= size)
			return -ENODATA;
		n = pread(fd, path, phdr.p_filesz, (off_t)phdr.p_offset);
		if (n < 0)
			return -errno;
		path[n] = '\0';
		return path[0] == '/' ? 0 : -ENODATA;
	}
	return -ENODATA;
}
