/* SPDX-License-Identifier: MIT */
/*
 * Reads code and functions of an ELF file: segments from the program headers, functions from the symbol table, and
 * their sections from the section headers (gABI, "Sections", "Symbol Table").
 */
#include "order/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "debug/data.h"
#include "debug/file.h"
#include "elf/file.h"

#define NAME_MAX_LENGTH (64u << 10) /* bytes: no compiler makes longer ones */
#define NAMES_MAX       (2u << 30)  /* bytes of a string table */
#define SYMBOLS_CHUNK   128u        /* symbols that one read takes */

/* What the section headers lead to. */
struct tables {
	Elf64_Shdr symbols; /* SHT_NULL: there is no symbol table */
	Elf64_Shdr names;   /* of the symbols */
};

/* *ret is the caller's to release on success. */
static int open_file(int fd, struct elf_file *ret, const char **ret_problem)
{
	int r = elf_file_open(ret, fd, ret_problem);

	if (r < 0)
		return r;
	*ret_problem = "is neither an executable nor a shared object";
	if (ret->header.e_type != ET_EXEC && ret->header.e_type != ET_DYN)
		return -ENOEXEC;
	return elf_file_take_phdrs(ret, ret_problem);
}

static int add_segment(struct order_image *image, const Elf64_Phdr *phdr)
{
	int r = ARRAY_RESERVE(image->segments, image->segments_capacity, image->n_segments + 1);

	if (r < 0)
		return r;
	image->segments[image->n_segments++] = (struct order_segment){
		.offset = phdr->p_offset,
		.size = phdr->p_filesz,
		.address = phdr->p_vaddr,
	};
	return 0;
}

/* Executable segments must not share bytes of the file, so that together they are never larger than it. */
static int read_segments(const struct elf_file *file, struct order_image *image, const char **ret_problem)
{
	uint64_t total = 0, end;

	for (size_t i = 0; i < file->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &file->phdrs[i];
		int r;

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X) || phdr->p_filesz == 0)
			continue;
		*ret_problem = "is truncated or damaged: a segment of code is not all in the file";
		if (!range_fits(phdr->p_offset, phdr->p_filesz, file->size) ||
			phdr->p_filesz > file->size - total ||
			__builtin_add_overflow(phdr->p_vaddr, phdr->p_filesz, &end))
			return -ENOEXEC;
		total += phdr->p_filesz;
		r = add_segment(image, phdr);
		if (r < 0)
			return r;
	}
	*ret_problem = "has no code that is loaded from it";
	return image->n_segments > 0 ? 0 : -ENOEXEC;
}

static bool is_text(const char *name)
{
	const char *rest = after_prefix(name, ".text");

	return rest && (*rest == '\0' || *rest == '.');
}

static int compare_sections(const void *a, const void *b)
{
	const struct order_section *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

static int add_section(struct order_image *image, const Elf64_Shdr *header)
{
	uint64_t end;
	int r;

	if (header->sh_size == 0 || __builtin_add_overflow(header->sh_addr, header->sh_size, &end))
		return 0;
	r = ARRAY_RESERVE(image->sections, image->sections_capacity, image->n_sections + 1);
	if (r < 0)
		return r;
	image->sections[image->n_sections++] = (struct order_section){header->sh_addr, header->sh_size};
	return 0;
}

/* Adds the section if its name says that linkers can order it. Returns 0 or -ENOMEM. */
static int take_section(
	struct elf_file *file, const Elf64_Shdr *names, const Elf64_Shdr *section, struct order_image *image)
{
	_cleanup_free_ char *name = NULL;
	uint64_t at;
	int r;

	if (!(section->sh_flags & SHF_ALLOC) || !(section->sh_flags & SHF_EXECINSTR) ||
		section->sh_name >= names->sh_size ||
		__builtin_add_overflow(names->sh_offset, section->sh_name, &at))
		return 0;
	r = elf_file_string(file, at, names->sh_size - section->sh_name, &name);
	if (r == 0 && is_text(name))
		r = add_section(image, section);
	return r == -ENOMEM ? r : 0;
}

/*
 * Finds the sections of code, by address, and the first symbol table of that type. Ignores damaged tables. Returns 0 or
 * -ENOMEM.
 */
static int read_sections(struct elf_file *file, uint32_t type, struct order_image *image, struct tables *ret)
{
	struct tables tables = {0};
	uint64_t n, names_index;
	Elf64_Shdr names, section;

	image->n_sections = 0;
	*ret = tables;
	if (elf_file_sections(file, &n, &names_index) < 0 || names_index == 0 ||
		elf_file_section(file, names_index, &names) < 0 || names.sh_type != SHT_STRTAB)
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		int r;

		if (elf_file_section(file, i, &section) < 0)
			return 0;
		if (section.sh_type == type && tables.symbols.sh_type == SHT_NULL)
			tables.symbols = section;
		r = take_section(file, &names, &section, image);
		if (r < 0)
			return r;
	}
	if (image->n_sections > 0)
		qsort(image->sections, image->n_sections, sizeof(*image->sections), compare_sections);
	if (tables.symbols.sh_type == SHT_NULL || tables.symbols.sh_link >= n ||
		elf_file_section(file, tables.symbols.sh_link, &tables.names) < 0 ||
		tables.names.sh_type != SHT_STRTAB)
		return 0;
	*ret = tables;
	return 0;
}

uint64_t order_text_left(const struct order_image *image, uint64_t address)
{
	size_t low = ARRAY_BISECT(i, image->n_sections, image->sections[i].address <= address);

	if (low == 0)
		return 0;
	address -= image->sections[low - 1].address;
	return address < image->sections[low - 1].size ? image->sections[low - 1].size - address : 0;
}

/* The length of a name without its version; 0 if it is empty or does not end within `left` bytes. */
static size_t name_length(const char *name, size_t left)
{
	size_t limit = left < NAME_MAX_LENGTH ? left : NAME_MAX_LENGTH, length = strnlen(name, limit);
	const char *version = memchr(name, '@', length);

	if (length == limit)
		return 0;
	return version ? (size_t)(version - name) : length;
}

/* `names` are all the names of its table. */
static int add_function(
	struct order_image *image, const Elf64_Sym *symbol, const char *names, size_t names_size)
{
	const char *name = names + symbol->st_name;
	size_t length = symbol->st_name < names_size ? name_length(name, names_size - symbol->st_name) : 0;
	int r;

	if (length == 0)
		return 0;
	r = ARRAY_RESERVE(image->functions, image->functions_capacity, image->n_functions + 1);
	if (r < 0)
		return r;
	image->functions[image->n_functions++] = (struct order_function){
		.name = name,
		.name_length = (uint32_t)length,
		.address = symbol->st_value,
		.size = symbol->st_size,
	};
	return 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct order_function *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return order_name_compare(left, right);
}

/*
 * Gives each function its size: the largest size of any of its names. Functions written in assembler have size 0 and
 * get all that is left. No function extends beyond the next function or the section.
 */
static void settle_sizes(struct order_image *image)
{
	struct order_function *functions = image->functions;
	uint64_t end = 0; /* of the functions so far, by their own sizes */
	size_t n = image->n_functions, next;

	if (n > 0)
		qsort(functions, n, sizeof(*functions), compare_addresses);
	for (size_t i = 0; i < n; i = next) {
		uint64_t limit = order_text_left(image, functions[i].address), size = functions[i].size;

		for (next = i + 1; next < n && functions[next].address == functions[i].address; next++)
			;
		if (next < n && functions[next].address - functions[i].address < limit)
			limit = functions[next].address - functions[i].address;
		for (size_t alias = i; alias < next; alias++) {
			functions[alias].inside = functions[alias].address < end;
			functions[alias].size = size > 0 && size < limit ? size : limit;
		}
		if (size > end - functions[i].address || end < functions[i].address)
			end = functions[i].address + size;
	}
}

/* Whether the symbol is a function that is defined here, in a section that linkers can order. */
static bool is_function(const struct order_image *image, const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
		order_text_left(image, symbol->st_value) > 0;
}

/* Reads all strings of a table. The caller frees *ret. Returns 0, -ENOMEM, or another negative errno if they are missing. */
static int read_names(struct elf_file *file, const Elf64_Shdr *table, char **ret)
{
	_cleanup_free_ char *names = NULL;
	int r;

	if (table->sh_size > NAMES_MAX || !range_fits(table->sh_offset, table->sh_size, file->size))
		return -ENOEXEC;
	names = malloc(table->sh_size + 1);
	if (!names)
		return -ENOMEM;
	r = elf_file_read(file, table->sh_offset, names, table->sh_size);
	if (r == 0)
		*ret = TAKE_PTR(names);
	return r;
}

static int add_functions(
	struct elf_file *file, const struct tables *tables, const char *names, struct order_image *image)
{
	uint64_t n = tables->symbols.sh_size / elf_file_symbol_size(file);
	Elf64_Sym symbols[SYMBOLS_CHUNK];

	for (uint64_t at = 0; at < n; at += SYMBOLS_CHUNK) {
		size_t count = n - at < SYMBOLS_CHUNK ? (size_t)(n - at) : SYMBOLS_CHUNK;
		int r = elf_file_symbols(file, tables->symbols.sh_offset, at, count, symbols);

		for (size_t i = 0; r == 0 && i < count; i++)
			if (is_function(image, &symbols[i]))
				r = add_function(image, &symbols[i], names, tables->names.sh_size);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Adds the functions of a symbol table, of which there may be none that makes sense; then it adds none. The image takes
 * *ret_names, which were NULL. Returns 0 or -ENOMEM.
 */
static int take_functions(
	struct elf_file *file, const struct tables *tables, struct order_image *image, char **ret_names)
{
	_cleanup_free_ char *names = NULL;
	size_t before = image->n_functions;
	int r;

	if (tables->symbols.sh_type == SHT_NULL ||
		!range_fits(tables->symbols.sh_offset, tables->symbols.sh_size, file->size))
		return 0;
	r = read_names(file, &tables->names, &names);
	if (r == 0)
		r = add_functions(file, tables, names, image);
	if (r < 0) {
		image->n_functions = before;
		return r == -ENOMEM ? r : 0;
	}
	*ret_names = TAKE_PTR(names);
	return 0;
}

/* Takes the functions of a file's symbol table. Returns 1; 0 if it has no table that makes sense; or -ENOMEM. */
static int read_functions(struct elf_file *file, enum order_symbols symbols, struct order_image *image)
{
	struct tables tables;
	int r = read_sections(file, SHT_SYMTAB, image, &tables);

	free(TAKE_PTR(image->names));
	if (r == 0)
		r = take_functions(file, &tables, image, &image->names);
	if (r < 0)
		return r;
	settle_sizes(image);
	image->symbols = symbols;
	return image->n_functions > 0;
}

/* Returns as read_functions(). */
static int try_debug_file(struct elf_file *stripped, const char *folder, struct order_image *image)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_close_ int debug = debug_file_open(stripped, "", folder);
	const char *problem;
	int r;

	if (debug < 0)
		return debug == -ENOMEM ? debug : 0;
	r = open_file(debug, &file, &problem);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	return read_functions(&file, ORDER_DEBUG_FILE, image);
}

/*
 * Takes the functions of .gnu_debugdata, and those that the file exports, which are not there. The sections are those of the
 * file. Returns as read_functions().
 */
static int try_debug_data(struct elf_file *stripped, struct order_image *image)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_(order_image_releasep) struct order_image other = {0};
	_cleanup_free_ uint8_t *data = NULL;
	struct tables exported, others;
	const char *problem;
	size_t size;
	int r = debug_data_read(stripped, &data, &size);

	if (r == 0)
		r = elf_file_in_memory(&file, data, size, &problem);
	if (r == 0)
		r = read_sections(&file, SHT_SYMTAB, &other, &others);
	if (r == 0)
		r = read_sections(stripped, SHT_DYNSYM, image, &exported);
	free(TAKE_PTR(image->names));
	if (r == 0)
		r = take_functions(&file, &others, image, &image->names);
	if (r < 0 || image->n_functions == 0)
		return r == -ENOMEM ? r : 0;
	r = take_functions(stripped, &exported, image, &image->exported_names);
	if (r < 0)
		return r;
	settle_sizes(image);
	image->symbols = ORDER_DEBUG_DATA;
	return 1;
}

int order_name_compare(const struct order_function *a, const struct order_function *b)
{
	if (a->name_length != b->name_length)
		return a->name_length < b->name_length ? -1 : 1;
	return memcmp(a->name, b->name, a->name_length);
}

static int compare_by_name(const void *a, const void *b)
{
	const struct order_function *const *left = a, *const *right = b;

	return order_name_compare(*left, *right);
}

static int index_names(struct order_image *image)
{
	_cleanup_free_ char *cold = malloc(NAME_MAX_LENGTH + sizeof(".cold"));

	image->by_name = calloc(image->n_functions, sizeof(*image->by_name));
	if (!image->by_name || !cold)
		return -ENOMEM;
	for (size_t i = 0; i < image->n_functions; i++)
		image->by_name[i] = &image->functions[i];
	qsort(image->by_name, image->n_functions, sizeof(*image->by_name), compare_by_name);
	for (size_t i = 0; i < image->n_functions; i++) {
		struct order_function *function = &image->functions[i];
		struct order_function of_cold = {.name = cold, .name_length = function->name_length + 5};
		const struct order_function *wanted = &of_cold;

		memcpy(cold, function->name, function->name_length);
		memcpy(cold + function->name_length, ".cold", 5);
		function->has_cold = bsearch(&wanted, image->by_name, image->n_functions,
			sizeof(*image->by_name), compare_by_name);
	}
	return 0;
}

int order_image_read(int fd, const char *debug_folder, struct order_image *ret, const char **ret_problem)
{
	_cleanup_(order_image_releasep) struct order_image image = {0};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	int r;

	r = open_file(fd, &file, ret_problem);
	if (r < 0)
		return r;
	r = read_segments(&file, &image, ret_problem);
	if (r < 0)
		return r;
	r = read_functions(&file, ORDER_SYMTAB, &image);
	if (r == 0)
		r = try_debug_file(&file, debug_folder, &image);
	if (r == 0)
		r = try_debug_data(&file, &image);
	if (r <= 0)
		return r < 0 ? r : -ENODATA;
	r = index_names(&image);
	if (r < 0)
		return r;
	*ret = image;
	image = (struct order_image){0};
	return 0;
}

int order_image_read_code(int fd, struct order_image *ret, const char **ret_problem)
{
	_cleanup_(order_image_releasep) struct order_image image = {0};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	struct tables tables;
	int r = open_file(fd, &file, ret_problem);

	if (r == 0)
		r = read_segments(&file, &image, ret_problem);
	if (r == 0)
		r = read_sections(&file, SHT_SYMTAB, &image, &tables);
	if (r < 0)
		return r;
	*ret = image;
	image = (struct order_image){0};
	return 0;
}

int order_image_take_segments(struct order_image *image, int fd, const char **ret_problem)
{
	_cleanup_(order_image_releasep) struct order_image other = {0};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	int r;

	r = open_file(fd, &file, ret_problem);
	if (r == 0)
		r = read_segments(&file, &other, ret_problem);
	if (r < 0)
		return r;
	free(image->segments);
	image->segments = TAKE_PTR(other.segments);
	image->n_segments = other.n_segments;
	image->segments_capacity = other.segments_capacity;
	return 0;
}

void order_image_release(struct order_image *image)
{
	free(image->segments);
	free(image->sections);
	free(image->functions);
	free(image->by_name);
	free(image->names);
	free(image->exported_names);
	*image = (struct order_image){0};
}
