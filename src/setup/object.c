/* SPDX-License-Identifier: MIT */
/* ELF headers of either class, by the offsets of the gABI ("ELF Header", "Program Header"). */
#include "setup/object.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/io.h"

#define OBJECT_MAX (64u << 20)

struct image {
	const uint8_t *data;
	size_t size;
	bool wide, big; /* 64 bits; most significant byte first */
};

static uint64_t number(const struct image *image, uint64_t at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)image->data[at + i] << 8 * (image->big ? bytes - 1 - i : i);
	return value;
}

#define FIELD(image, at, type, field)                                                                        \
	((image)->wide ? number(image, (at) + offsetof(Elf64_##type, field),                                 \
				 sizeof(((Elf64_##type *)0)->field))                                         \
		       : number(image, (at) + offsetof(Elf32_##type, field),                                 \
				 sizeof(((Elf32_##type *)0)->field)))

static const char *check_segments(const struct image *image)
{
	uint64_t table = FIELD(image, 0, Ehdr, e_phoff), count = FIELD(image, 0, Ehdr, e_phnum);
	uint64_t entry = FIELD(image, 0, Ehdr, e_phentsize);
	bool loads = false;

	if (entry != (image->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return "has no program headers";
	if (!table_fits(table, count, entry, image->size))
		return "is truncated";
	for (uint64_t i = 0; i < count; i++, table += entry) {
		if (FIELD(image, table, Phdr, p_type) != PT_LOAD)
			continue;
		loads = true;
		if (!range_fits(FIELD(image, table, Phdr, p_offset), FIELD(image, table, Phdr, p_filesz),
			    image->size))
			return "is truncated";
	}
	return loads ? NULL : "has nothing to load";
}

static const char *check(const uint8_t *data, size_t size, struct object_kind *ret)
{
	struct image image = {.data = data, .size = size};

	if (size < EI_NIDENT || data[0] != ELFMAG0 || data[1] != ELFMAG1 || data[2] != ELFMAG2 ||
		data[3] != ELFMAG3)
		return "is not an ELF file";
	image.wide = data[EI_CLASS] == ELFCLASS64;
	image.big = data[EI_DATA] == ELFDATA2MSB;
	if (size < (image.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return "is truncated";
	if (FIELD(&image, 0, Ehdr, e_type) != ET_DYN)
		return "is not a shared object";
	*ret = (struct object_kind){
		data[EI_CLASS], data[EI_DATA], (uint16_t)FIELD(&image, 0, Ehdr, e_machine)};
	return check_segments(&image);
}

int object_kind_of(const char *path, struct object_kind *ret, const char **ret_problem)
{
	_cleanup_free_ char *data = NULL;
	struct object_kind kind;
	const char *problem;
	size_t size;
	int r = read_file(path, OBJECT_MAX, &data, &size);

	if (r < 0)
		return r;
	problem = check((const uint8_t *)data, size, &kind);
	if (problem) {
		*ret_problem = problem;
		return -ENOEXEC;
	}
	*ret = kind;
	return 0;
}
