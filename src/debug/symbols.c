/* SPDX-License-Identifier: MIT */
#include "debug/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "debug/data.h"
#include "debug/file.h"

void debug_symbols_release(struct debug_symbols *symbols)
{
	if (symbols->fd >= 0)
		close(symbols->fd);
	free(symbols->data);
	*symbols = (struct debug_symbols){.fd = -1};
}

static bool has_symbol_table(struct elf_file *file)
{
	Elf64_Shdr section;
	uint64_t n, names;

	if (elf_file_sections(file, &n, &names) < 0)
		return false;
	for (uint64_t i = 1; i < n && elf_file_section(file, i, &section) == 0; i++)
		if (section.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

static bool may_be_told(int fd)
{
	struct stat st;

	return geteuid() != 0 || (fstat(fd, &st) == 0 && (st.st_mode & S_IROTH));
}

static int open_debug_file(struct elf_file *stripped, struct debug_symbols *ret)
{
	_cleanup_close_ int fd = debug_file_open(stripped, "", NULL);
	const char *problem;
	int r;

	if (fd < 0)
		return fd;
	r = may_be_told(fd) ? elf_file_open(&ret->file, fd, &problem) : -EACCES;
	if (r == 0)
		ret->fd = TAKE_FD(fd);
	return r;
}

static int open_debug_data(struct elf_file *stripped, struct debug_symbols *ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	const char *problem;
	size_t size;
	int r = debug_data_read(stripped, &data, &size);

	if (r == 0)
		r = elf_file_in_memory(&ret->file, data, size, &problem);
	ret->fd = -1;
	if (r == 0)
		ret->data = TAKE_PTR(data);
	return r;
}

int debug_symbols_open(int fd, struct debug_symbols *ret)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	struct debug_symbols symbols = {.fd = -1};
	const char *problem;
	int r = elf_file_open(&file, fd, &problem);

	if (r == 0)
		r = elf_file_take_phdrs(&file, &problem);
	if (r < 0 || has_symbol_table(&file))
		return r < 0 ? r : -ENODATA;
	r = open_debug_file(&file, &symbols);
	if (r < 0 && r != -ENOMEM)
		r = open_debug_data(&file, &symbols);
	if (r < 0)
		return r == -ENOMEM ? r : -ENODATA;
	*ret = symbols;
	return 0;
}
