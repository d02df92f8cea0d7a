/* SPDX-License-Identifier: MIT */
#include "elf/debug-symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/open.h"

#define SYMBOLS_MAX (256u << 20) /* bytes of a symbol table */

static int open_debug_file(const char *root, const uint8_t *id, size_t size)
{
	char path[PATH_MAX], hex[2 * 64 + 1] = "";

	if (size < 2 || size > 64)
		return -ENOENT;
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	if (snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex, hex + 2) >=
		(int)sizeof(path))
		return -ENOENT;
	return open_regular(path, 0);
}

/* Reads a part of the file, which the caller frees. */
static int read_part(int fd, uint64_t file_size, uint64_t offset, uint64_t size, void **ret)
{
	_cleanup_free_ void *data = NULL;
	ssize_t n;

	if (size == 0 || !range_fits(offset, size, file_size))
		return -ENOENT;
	data = malloc(size);
	if (!data)
		return -ENOMEM;
	n = pread_full(fd, data, size, (off_t)offset);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n != size)
		return -ENOENT;
	*ret = TAKE_PTR(data);
	return 0;
}

static int find_table(int fd, uint64_t file_size, Elf64_Shdr *ret)
{
	_cleanup_free_ Elf64_Ehdr *header = NULL;
	_cleanup_free_ Elf64_Shdr *sections = NULL;
	int r = read_part(fd, file_size, 0, sizeof(*header), (void **)&header);

	if (r < 0)
		return r;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
		header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_shentsize != sizeof(*sections))
		return -ENOENT;
	r = read_part(
		fd, file_size, header->e_shoff, header->e_shnum * sizeof(*sections), (void **)&sections);
	if (r < 0)
		return r;
	for (size_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_entsize == sizeof(Elf64_Sym) &&
			sections[i].sh_size <= SYMBOLS_MAX) {
			*ret = sections[i];
			return 0;
		}
	return -ENOENT;
}

int elf_debug_symbols(const char *root, const uint8_t *build_id, size_t size, Elf64_Sym **ret, size_t *ret_n)
{
	_cleanup_close_ int fd = open_debug_file(root, build_id, size);
	Elf64_Shdr table;
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	r = find_table(fd, (uint64_t)st.st_size, &table);
	if (r == 0)
		r = read_part(fd, (uint64_t)st.st_size, table.sh_offset, table.sh_size, (void **)ret);
	if (r == 0)
		*ret_n = table.sh_size / sizeof(Elf64_Sym);
	return r;
}
