/* SPDX-License-Identifier: MIT */
/*
 * The parts of an ELF file that relocation touches, from program headers and dynamic section (gABI chapter
 * 5): what the loader itself goes by. Read with pread(2) into fixed buffers, so that no file can make this
 * allocate or fault.
 */
#include "prefetch/object-parts.h"

#include <string.h>
#include <unistd.h>

#include "base/checked.h"

#define HEADERS_MAX 128 /* program headers looked at */
#define DYNAMIC_MAX 256 /* entries of the dynamic section looked at */

struct object_headers {
	Elf64_Phdr items[HEADERS_MAX];
	size_t count;
};

static bool read_at(int fd, void *data, size_t size, uint64_t offset)
{
	return pread(fd, data, size, (off_t)offset) == (ssize_t)size;
}

bool object_header(int fd, Elf64_Ehdr *ret)
{
	const unsigned char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	return read_at(fd, ret, sizeof(*ret), 0) && memcmp(ret->e_ident, ELFMAG, SELFMAG) == 0 &&
	       ret->e_ident[EI_CLASS] == ELFCLASS64 && ret->e_ident[EI_DATA] == native;
}

static bool read_headers(int fd, uint64_t file_size, struct object_headers *ret)
{
	Elf64_Ehdr header;

	if (!object_header(fd, &header))
		return false;
	if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > HEADERS_MAX)
		return false;
	if (!table_fits(header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr), file_size))
		return false;
	ret->count = header.e_phnum;
	return read_at(fd, ret->items, ret->count * sizeof(Elf64_Phdr), header.e_phoff);
}

static void add_part(
	struct object_part parts[], size_t *count, uint64_t offset, uint64_t length, uint64_t file_size)
{
	if (length == 0 || !range_fits(offset, length, file_size) || *count == OBJECT_PARTS_MAX)
		return;
	parts[(*count)++] = (struct object_part){.offset = offset, .length = length};
}

/* Adds the table of `size` bytes at a virtual address, by the segment that holds all of it. */
static void add_table(const struct object_headers *headers, uint64_t address, uint64_t size,
	struct object_part parts[], size_t *count, uint64_t file_size)
{
	for (size_t i = 0; i < headers->count; i++) {
		const Elf64_Phdr *load = &headers->items[i];
		uint64_t offset;

		if (load->p_type == PT_LOAD && address >= load->p_vaddr &&
			range_fits(address - load->p_vaddr, size, load->p_filesz) &&
			!__builtin_add_overflow(load->p_offset, address - load->p_vaddr, &offset)) {
			add_part(parts, count, offset, size, file_size);
			return;
		}
	}
}

static void add_tables(int fd, const struct object_headers *headers, const Elf64_Phdr *dynamic,
	struct object_part parts[], size_t *count, uint64_t file_size)
{
	Elf64_Dyn entries[DYNAMIC_MAX];
	uint64_t rela = 0, rela_size = 0, relr = 0, relr_size = 0;
	size_t n = dynamic->p_filesz / sizeof(entries[0]);

	if (n > DYNAMIC_MAX)
		n = DYNAMIC_MAX;
	if (!read_at(fd, entries, n * sizeof(entries[0]), dynamic->p_offset))
		return;
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++) {
		switch (entries[i].d_tag) {
		case DT_RELA:
			rela = entries[i].d_un.d_ptr;
			break;
		case DT_RELASZ:
			rela_size = entries[i].d_un.d_val;
			break;
		case DT_RELR:
			relr = entries[i].d_un.d_ptr;
			break;
		case DT_RELRSZ:
			relr_size = entries[i].d_un.d_val;
			break;
		}
	}
	add_table(headers, rela, rela_size, parts, count, file_size);
	add_table(headers, relr, relr_size, parts, count, file_size);
}

size_t object_parts(int fd, uint64_t file_size, struct object_part parts[OBJECT_PARTS_MAX])
{
	struct object_headers headers;
	size_t count = 0;

	if (!read_headers(fd, file_size, &headers))
		return 0;
	for (size_t i = 0; i < headers.count; i++)
		if (headers.items[i].p_type == PT_DYNAMIC)
			add_tables(fd, &headers, &headers.items[i], parts, &count, file_size);
	for (size_t i = 0; i < headers.count; i++)
		if (headers.items[i].p_type == PT_LOAD && headers.items[i].p_flags & PF_W)
			add_part(parts, &count, headers.items[i].p_offset, headers.items[i].p_filesz,
				file_size);
	return count;
}
