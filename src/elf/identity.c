/* SPDX-License-Identifier: MIT */
/*
 * Finds build-id, soname and loader by the program headers, as the loader does: section headers may be missing or
 * false.
 */
#include "elf/identity.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/file.h"

bool elf_is(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static int open_file(struct elf_file *ret, int fd)
{
	const char *problem;
	int r = elf_file_open(ret, fd, &problem);

	return r == 0 ? elf_file_take_phdrs(ret, &problem) : r;
}

int elf_build_id(int fd, uint8_t *id, size_t capacity, size_t *ret_size)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	size_t size = 0;
	int r = open_file(&file, fd);

	if (r == 0)
		r = elf_file_note(&file, ELF_NOTE_GNU, NT_GNU_BUILD_ID, id, capacity, &size);
	if (r < 0)
		return r;
	*ret_size = size;
	return size > 0 ? 0 : -ENODATA;
}

int elf_soname(int fd, char **ret)
{
	_cleanup_(elf_dynamic_releasep) struct elf_dynamic dynamic = {0};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const Elf64_Phdr *phdr;
	int r = open_file(&file, fd);

	if (r < 0)
		return r;
	phdr = elf_file_phdr(&file, PT_DYNAMIC);
	if (!phdr)
		return -ENODATA;
	r = elf_file_dynamic(&file, phdr, &dynamic);
	if (r < 0)
		return r;
	for (size_t i = 0; i < dynamic.n; i++)
		if (dynamic.entries[i].d_tag == DT_SONAME)
			return elf_file_dynamic_string(&file, &dynamic, dynamic.entries[i].d_un.d_val, ret);
	return -ENODATA;
}

bool elf_soname_is_loader(const char *soname)
{
	static const char *const names[] = {"ld-linux", "ld.so", "ld64.so", "ld-musl-", "libc.musl-"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (after_prefix(soname, names[i]))
			return true;
	return false;
}

int elf_interpreter(int fd, char *path, size_t size)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_free_ char *interpreter = NULL;
	const Elf64_Phdr *phdr;
	int r = open_file(&file, fd);

	if (r < 0)
		return r;
	phdr = elf_file_phdr(&file, PT_INTERP);
	if (!phdr)
		return -ENODATA;
	r = elf_file_string(&file, phdr->p_offset, phdr->p_filesz, &interpreter);
	if (r < 0)
		return r == -ENOEXEC ? -ENODATA : r;
	if (interpreter[0] != '/' || strlen(interpreter) >= size)
		return -ENODATA;
	strcpy(path, interpreter);
	return 0;
}
