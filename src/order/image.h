/* SPDX-License-Identifier: MIT */
/*
 * What ordering needs from an ELF file: where its code lies in the file and in memory, and its functions. The file may
 * be hostile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of an executable PT_LOAD that comes from the file. */
struct order_segment {
	uint64_t offset;  /* in the file, bytes */
	uint64_t size;    /* bytes */
	uint64_t address; /* as linked */
};

/* A section .text, or one whose name begins with .text. : linkers can order these. */
struct order_section {
	uint64_t address, size; /* bytes; size > 0 */
};

/*
 * A symbol of type STT_FUNC or STT_GNU_IFUNC in such a section. Aliases have the same address and size, and so do
 * functions that identical code folding has merged.
 */
struct order_function {
	const char *name; /* borrowed from the image; not terminated: a version (@VERSION) is cut off */
	uint32_t name_length;
	bool has_cold;    /* NAME.cold is in the image too: the compiler split the function */
	bool inside;      /* by the sizes in the symbol table, it begins within another function */
	uint64_t address; /* as linked */
	uint64_t size;    /* bytes; > 0; never beyond the next function or the section */
};

enum order_symbols {
	ORDER_SYMTAB,     /* the file's own symbol table */
	ORDER_DEBUG_FILE, /* the symbol table of its separate debug file */
	ORDER_DEBUG_DATA, /* that of its .gnu_debugdata, and the functions that it exports */
};

struct order_image {
	struct order_segment *segments; /* owned */
	size_t n_segments, segments_capacity;
	struct order_section *sections; /* owned; ascending by address */
	size_t n_sections, sections_capacity;
	struct order_function *functions; /* owned; ascending by address */
	size_t n_functions, functions_capacity;
	const struct order_function **by_name; /* owned; n_functions of them, ascending by name */
	enum order_symbols symbols;
	char *names, *exported_names; /* owned; hold all the names */
};

/*
 * Reads the image of an executable or shared object. If it has no .symtab, this looks for a separate debug file
 * (debug/file.h; NULL: below /usr/lib/debug), then into .gnu_debugdata. fd stays the caller's. Returns 0; -ENOEXEC
 * (*ret_problem, a static string that goes after the file's name, says what is wrong); -ENODATA (no function has a symbol
 * anywhere: the file is stripped); or -ENOMEM. *ret is the caller's to release on success, else untouched.
 */
int order_image_read(int fd, const char *debug_folder, struct order_image *ret, const char **ret_problem);

/* Reads only segments and sections, of which there may be none. Returns as order_image_read(). */
int order_image_read_code(int fd, struct order_image *ret, const char **ret_problem);

/*
 * Takes the segments from another file of the same build, the recorded one: it may have been stripped or relaid, so
 * that the same code lies elsewhere in it. Returns 0, or an error as order_image_read() does, with the image unchanged.
 */
int order_image_take_segments(struct order_image *image, int fd, const char **ret_problem);

void order_image_release(struct order_image *image);

static inline void order_image_releasep(struct order_image *image)
{
	order_image_release(image);
}

/* Bytes from the address to the end of its section; 0 outside of all sections. */
uint64_t order_text_left(const struct order_image *image, uint64_t address);

/* The order of names in by_name: by length and bytes. */
int order_name_compare(const struct order_function *a, const struct order_function *b);
