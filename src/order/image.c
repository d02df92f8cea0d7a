/* SPDX-License-Identifier: MIT */
/*
 * Code and functions of an ELF file, by libelf: segments by the program headers, functions by the symbol
 * table, the sections they lie in by the section headers (gABI, "Sections", "Symbol Table"). Files are read
 * with pread(2), never mapped: one that is truncated meanwhile is a short read, no SIGBUS.
 */
#include "order/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/identity.h"
#include "order/debug-file.h"

#define NAME_MAX_LENGTH (64u << 10) /* bytes: no compiler makes longer ones */
#define BUILD_ID_MAX    64          /* bytes */

/* An open ELF file. */
struct order_elf {
	int fd; /* owned */
	Elf *elf;
	uint64_t size; /* bytes of the file */
};

static void order_elf_free(struct order_elf *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	close(file->fd);
	free(file);
}

static void order_elf_freep(struct order_elf **file)
{
	order_elf_free(*file);
}

/* *ret is the caller's to free; so is fd, of which a copy is kept. */
static int open_elf(int fd, struct order_elf **ret, const char **ret_problem)
{
	_cleanup_(order_elf_freep) struct order_elf *file = calloc(1, sizeof(*file));
	struct stat st;
	GElf_Ehdr header;

	if (!file)
		return -ENOMEM;
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0 || fstat(file->fd, &st) < 0)
		return -errno;
	file->size = (uint64_t)st.st_size;
	if (elf_version(EV_CURRENT) != EV_NONE)
		file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	*ret_problem = "is not an ELF file";
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header))
		return -ENOEXEC;
	*ret_problem = "is neither an executable nor a shared object";
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return -ENOEXEC;
	*ret = TAKE_PTR(file);
	return 0;
}

static int add_segment(struct order_image *image, const GElf_Phdr *phdr)
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

/* Executable segments do not share bytes of the file: together they are never larger than it. */
static int read_segments(const struct order_elf *file, struct order_image *image, const char **ret_problem)
{
	uint64_t total = 0, end;
	size_t n;
	int r;

	*ret_problem = "is damaged: its program headers cannot be read";
	if (elf_getphdrnum(file->elf, &n) < 0 || n > UINT16_MAX)
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			return -ENOEXEC;
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) || phdr.p_filesz == 0)
			continue;
		*ret_problem = "is truncated or damaged: a segment of code is not all in the file";
		if (!range_fits(phdr.p_offset, phdr.p_filesz, file->size) ||
			phdr.p_filesz > file->size - total ||
			__builtin_add_overflow(phdr.p_vaddr, phdr.p_filesz, &end))
			return -ENOEXEC;
		total += phdr.p_filesz;
		r = add_segment(image, &phdr);
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

static int add_section(struct order_image *image, const GElf_Shdr *header)
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

/* Sections of code by address, and the first symbol table of that type (NULL where there is none). */
static int read_sections(Elf *elf, uint32_t table_type, struct order_image *image, Elf_Scn **ret_table)
{
	Elf_Scn *table = NULL;
	size_t names;
	int r;

	image->n_sections = 0;
	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == table_type && !table)
			table = section;
		if (!(header.sh_flags & SHF_ALLOC) || !(header.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		r = name && is_text(name) ? add_section(image, &header) : 0;
		if (r < 0)
			return r;
	}
	if (image->n_sections > 0)
		qsort(image->sections, image->n_sections, sizeof(*image->sections), compare_sections);
	*ret_table = table;
	return 0;
}

uint64_t order_text_left(const struct order_image *image, uint64_t address)
{
	size_t low = 0, high = image->n_sections;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->sections[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	address -= image->sections[low - 1].address;
	return address < image->sections[low - 1].size ? image->sections[low - 1].size - address : 0;
}

/* The length of a name without its version; 0 for one that is none. */
static size_t name_length(const char *name)
{
	size_t length = strnlen(name, NAME_MAX_LENGTH);
	const char *version = memchr(name, '@', length);

	if (length == NAME_MAX_LENGTH)
		return 0;
	return version ? (size_t)(version - name) : length;
}

static int add_function(struct order_image *image, const GElf_Sym *symbol, const char *name)
{
	size_t length = name_length(name);
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
 * Gives each function its size: the largest that any of its names says, or (written in assembler, they say 0)
 * all that is left; but not beyond the next function or the section.
 */
static void settle_sizes(struct order_image *image)
{
	struct order_function *functions = image->functions;
	size_t n = image->n_functions, next;

	if (n > 0)
		qsort(functions, n, sizeof(*functions), compare_addresses);
	for (size_t i = 0; i < n; i = next) {
		uint64_t limit = order_text_left(image, functions[i].address), size = functions[i].size;

		for (next = i + 1; next < n && functions[next].address == functions[i].address; next++)
			;
		if (next < n && functions[next].address - functions[i].address < limit)
			limit = functions[next].address - functions[i].address;
		for (size_t alias = i; alias < next; alias++)
			functions[alias].size = size > 0 && size < limit ? size : limit;
	}
}

static int read_functions(Elf *elf, uint32_t table_type, struct order_image *image)
{
	Elf_Scn *table = NULL;
	Elf_Data *data;
	GElf_Shdr header;
	size_t n;
	int r;

	r = read_sections(elf, table_type, image, &table);
	if (r < 0 || !table || !gelf_getshdr(table, &header) || header.sh_type == SHT_NOBITS)
		return r;
	data = elf_getdata(table, NULL);
	if (!data || !data->d_buf)
		return 0;
	n = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
			(GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
				GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) ||
			order_text_left(image, symbol.st_value) == 0)
			continue;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		r = name ? add_function(image, &symbol, name) : 0;
		if (r < 0)
			return r;
	}
	settle_sizes(image);
	return 0;
}

/* Tries one table of one file; where it has functions, keeps the file. Returns 1 then, 0 or -ENOMEM. */
static int try_table(
	struct order_elf **file, uint32_t type, enum order_symbols symbols, struct order_image *image)
{
	int r = read_functions((*file)->elf, type, image);

	if (r < 0 || image->n_functions == 0)
		return r;
	image->symbols = symbols;
	image->elf = TAKE_PTR(*file);
	return 1;
}

static int try_debug_file(int fd, const char *folder, struct order_image *image)
{
	_cleanup_(order_elf_freep) struct order_elf *file = NULL;
	_cleanup_close_ int debug = -1;
	uint8_t id[BUILD_ID_MAX];
	const char *problem;
	size_t size;
	int r;

	if (elf_build_id(fd, id, sizeof(id), &size) < 0)
		return 0;
	debug = debug_file_open(id, size, folder);
	if (debug < 0)
		return debug == -ENOMEM ? debug : 0;
	r = open_elf(debug, &file, &problem);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	return try_table(&file, SHT_SYMTAB, ORDER_DEBUG_FILE, image);
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

static bool has_name(const struct order_image *image, const struct order_function *wanted)
{
	return bsearch(&wanted, image->by_name, image->n_functions, sizeof(*image->by_name), compare_by_name);
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
		struct order_function wanted = {.name = cold, .name_length = function->name_length + 5};

		memcpy(cold, function->name, function->name_length);
		memcpy(cold + function->name_length, ".cold", 5);
		function->has_cold = has_name(image, &wanted);
	}
	return 0;
}

int order_image_read(int fd, const char *debug_folder, struct order_image *ret, const char **ret_problem)
{
	_cleanup_(order_image_releasep) struct order_image image = {0};
	_cleanup_(order_elf_freep) struct order_elf *file = NULL;
	int r;

	r = open_elf(fd, &file, ret_problem);
	if (r < 0)
		return r;
	r = read_segments(file, &image, ret_problem);
	if (r < 0)
		return r;
	r = try_table(&file, SHT_SYMTAB, ORDER_SYMTAB, &image);
	if (r == 0)
		r = try_debug_file(fd, debug_folder, &image);
	if (r <= 0)
		return r < 0 ? r : -ENODATA;
	r = index_names(&image);
	if (r < 0)
		return r;
	*ret = image;
	image = (struct order_image){0};
	return 0;
}

int order_image_take_segments(struct order_image *image, int fd, const char **ret_problem)
{
	_cleanup_(order_image_releasep) struct order_image other = {0};
	_cleanup_(order_elf_freep) struct order_elf *file = NULL;
	int r;

	r = open_elf(fd, &file, ret_problem);
	if (r == 0)
		r = read_segments(file, &other, ret_problem);
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
	order_elf_free(image->elf);
	*image = (struct order_image){0};
}
