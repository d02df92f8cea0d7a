/* SPDX-License-Identifier: MIT */
/*
 * Problem: a hook has to hand on to the function that it hooks. It may not import dlsym(3), since ld.so must have
 * nothing of ours to resolve. Nor may it remember an address, since it may run in a child of vfork(2), which shares its
 * parent's memory.
 *
 * So each call looks it up anew, as ld.so does (gABI, "Dynamic Linking"; ELF symbol versioning, Drepper 1999): from the
 * auxiliary vector to the program's headers, its dynamic section, DT_DEBUG, and the list of objects; of those, only the
 * ones after ours count, up to the last one that was mapped when the program started. That takes a tenth of a microsecond. These objects
 * stay, so no dlclose(3) in another thread can remove one of them meanwhile. Those behind them may go while they are looked at, unless ld.so's
 * lock is held, as it is in dl_iterate_phdr(3). That is for dlopen(3) alone, which is in a library of its own before glibc 2.34: a program that
 * was not linked with it may get it later, with a library.
 *
 * Under musl, which passes constructors no arguments, and before our constructor has run, the auxiliary vector is read from
 * /proc. Our constructor does that once and for all: later the program may have no /proc, or no descriptor left.
 */
#include "preload/next.h"

#include "core/shim.h"

#include <link.h>
#include <linux/auxvec.h>

#define VERSION_INDEX  0x7fff
#define VERSION_HIDDEN 0x8000

#define AUXV_MAX   64                /* entries; Linux has 20 to 25 */
#define PAGE_LEAST ((uintptr_t)4096) /* bytes */

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

/* The first object after us in search order, once next_begin() has looked: it may change our place in the list. */
static struct link_map *first_after_us;

/* The last object that was mapped when the program started, likewise. Until then there are no later ones. */
static struct link_map *last_to_stay;

/* The parts of an object that a look-up needs. */
struct symbols {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash, *hash; /* NULL where the object has none */
	const uint16_t *versions;        /* NULL: the object knows no versions */
	const ElfW(Verdef) * definitions;
	uintptr_t base;
};

/* glibc has added the base to the addresses of most dynamic sections, musl to none. */
static const void *pointer(const struct link_map *object, uintptr_t value)
{
	return (const void *)(value >= object->l_addr ? value : value + object->l_addr);
}

static bool symbols_of(const struct link_map *object, struct symbols *ret)
{
	struct symbols found = {.base = object->l_addr};

	if (!object->l_ld)
		return false;
	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		const void *at = pointer(object, entry->d_un.d_ptr);

		switch (entry->d_tag) {
		case DT_SYMTAB:
			found.symbols = at;
			break;
		case DT_STRTAB:
			found.strings = at;
			break;
		case DT_GNU_HASH:
			found.gnu_hash = at;
			break;
		case DT_HASH:
			found.hash = at;
			break;
		case DT_VERSYM:
			found.versions = at;
			break;
		case DT_VERDEF:
			found.definitions = at;
			break;
		}
	}
	if (!found.symbols || !found.strings || (!found.gnu_hash && !found.hash))
		return false;
	*ret = found;
	return true;
}

static bool version_is(const struct symbols *in, unsigned int index, const char *version)
{
	const ElfW(Verdef) *definition = in->definitions;

	while (definition) {
		const char *at = (const char *)definition;

		if (definition->vd_ndx == index)
			return shim_equal(
				in->strings + ((const ElfW(Verdaux) *)(at + definition->vd_aux))->vda_name,
				version);
		definition = definition->vd_next ? (const void *)(at + definition->vd_next) : NULL;
	}
	return false;
}

/* Whether that symbol is the one wanted: of that version, or, if version is NULL, of the default one. */
static bool symbol_is(const struct symbols *in, uint32_t index, const char *name, const char *version)
{
	const ElfW(Sym) *symbol = &in->symbols[index];
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0 || type > STT_FUNC)
		return false;
	if (!shim_equal(in->strings + symbol->st_name, name))
		return false;
	if (!in->versions || in->versions[index] == VER_NDX_GLOBAL)
		return true; /* serves every version */
	if (!version)
		return !(in->versions[index] & VERSION_HIDDEN);
	return version_is(in, in->versions[index] & VERSION_INDEX, version);
}

static uintptr_t look_up_gnu(const struct symbols *in, const char *name, const char *version)
{
	const uint32_t *table = in->gnu_hash;
	uint32_t buckets = table[0], first = table[1], words = table[2], shift = table[3];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)(table + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + buckets;
	const unsigned int bits = 8 * sizeof(*bloom);
	uint32_t hash = 5381;
	ElfW(Addr) word;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	word = bloom[hash / bits & (words - 1)];
	if (!(word >> hash % bits & word >> (hash >> shift) % bits & 1) || buckets == 0)
		return 0;
	for (uint32_t i = bucket[hash % buckets]; i >= first; i++) {
		if ((chain[i - first] | 1) == (hash | 1) && symbol_is(in, i, name, version))
			return in->base + in->symbols[i].st_value;
		if (chain[i - first] & 1)
			break;
	}
	return 0;
}

static uintptr_t look_up_sysv(const struct symbols *in, const char *name, const char *version)
{
	const uint32_t *table = in->hash;
	uint32_t buckets = table[0];
	const uint32_t *bucket = table + 2, *chain = bucket + buckets;
	uint32_t hash = 0;

	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (unsigned char)*c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	if (buckets == 0)
		return 0;
	for (uint32_t i = bucket[hash % buckets]; i != 0; i = chain[i])
		if (symbol_is(in, i, name, version))
			return in->base + in->symbols[i].st_value;
	return 0;
}

static uintptr_t look_up(const struct link_map *object, const char *name, const char *version)
{
	struct symbols in;

	if (!symbols_of(object, &in))
		return 0;
	return in.gnu_hash ? look_up_gnu(&in, name, version) : look_up_sysv(&in, name, version);
}

/* What the kernel says of the program: AT_PHDR, AT_PHNUM, AT_BASE. */
struct images {
	const ElfW(Phdr) * headers;
	uintptr_t count;
	uintptr_t loader; /* 0: the program is its own loader */
};

/* Without headers until next_begin() has looked. */
static struct images images_known;

static bool images_from_proc(struct images *ret)
{
	ElfW(auxv_t) auxv[AUXV_MAX];
	int fd = sys_open("/proc/self/auxv", O_RDONLY);
	long size;

	*ret = (struct images){0};
	if (fd < 0)
		return false;
	size = sys_read(fd, auxv, sizeof(auxv));
	sys_close(fd);
	for (long i = 0; i < size / (long)sizeof(auxv[0]); i++) {
		if (auxv[i].a_type == AT_PHDR)
			ret->headers = (const ElfW(Phdr) *)auxv[i].a_un.a_val;
		else if (auxv[i].a_type == AT_PHNUM)
			ret->count = auxv[i].a_un.a_val;
		else if (auxv[i].a_type == AT_BASE)
			ret->loader = auxv[i].a_un.a_val;
	}
	return ret->headers != NULL;
}

static bool images_find(struct images *ret)
{
	*ret = images_known;
	if (!ret->headers && shim_start.headers)
		*ret = (struct images){shim_start.headers, shim_start.header_count, shim_start.loader};
	return ret->headers || images_from_proc(ret);
}

/*
 * Where an image lies and its dynamic section, as a loader's list has them. An image without PT_PHDR lies at its linked
 * address, or its first page holds the headers (musl's loader, as a program).
 */
static bool image_object(const ElfW(Phdr) * headers, uintptr_t count, struct link_map *ret)
{
	const ElfW(Ehdr) *first_page = (const ElfW(Ehdr) *)((uintptr_t)headers & -PAGE_LEAST);
	const ElfW(Phdr) *dynamic = NULL, *own = NULL;

	for (uintptr_t i = 0; i < count; i++) {
		if (headers[i].p_type == PT_PHDR)
			own = &headers[i];
		else if (headers[i].p_type == PT_DYNAMIC)
			dynamic = &headers[i];
	}
	if (!dynamic)
		return false;
	ret->l_addr = 0;
	if (own)
		ret->l_addr = (uintptr_t)headers - own->p_vaddr;
	else if (shim_begins((const char *)first_page, ELFMAG) && first_page->e_type == ET_DYN)
		ret->l_addr = (uintptr_t)first_page;
	ret->l_ld = (ElfW(Dyn) *)(ret->l_addr + dynamic->p_vaddr);
	ret->l_next = NULL;
	return true;
}

/* DT_DEBUG of the program; where it was linked without that, what the loader exports. */
static const struct r_debug *debug_of(const struct link_map *program, uintptr_t loader)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)loader;
	struct link_map object;

	for (const ElfW(Dyn) *entry = program->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr)
			return (const struct r_debug *)entry->d_un.d_ptr;
	if (!loader ||
		!image_object((const ElfW(Phdr) *)(loader + header->e_phoff), header->e_phnum, &object))
		return NULL;
	return (const struct r_debug *)look_up(&object, "_r_debug", NULL);
}

/* ld.so's list of objects. If none is found, a list of the program alone, in the caller's memory. */
static struct link_map *object_list(struct link_map *alone)
{
	const struct r_debug *debug;
	struct images images;

	if (!images_find(&images) || !image_object(images.headers, images.count, alone))
		return NULL;
	debug = debug_of(alone, images.loader);
	return debug ? debug->r_map : alone;
}

static bool is_us(const struct link_map *object)
{
	return object->l_ld == _DYNAMIC;
}

static struct link_map *next_of(const struct link_map *object)
{
	return object == last_to_stay ? NULL : object->l_next;
}

static struct link_map *objects_after_us(struct link_map *alone)
{
	struct link_map *list, *object;

	if (first_after_us)
		return first_after_us;
	list = object_list(alone);
	for (object = list; object; object = next_of(object))
		if (is_us(object))
			return next_of(object);
	return list;
}

/*
 * AddressSanitizer's library, gcc's or clang's, ends the program if another comes before it in the list of objects (compiler-rt,
 * AsanCheckDynamicRTPrereqs), as every preloaded one does. Such a program is lost anyway, so we change places with the
 * library. Symbols are not looked up along this list, and nothing else depends on its order.
 */
static bool is_address_sanitizer(const struct link_map *object)
{
	const char *base = object->l_name;

	for (const char *c = base; *c; c++)
		if (*c == '/')
			base = c + 1;
	return shim_begins(base, "libasan.so") || shim_begins(base, "libclang_rt.asan");
}

static void stand_behind(struct link_map *us, struct link_map *next)
{
	us->l_prev->l_next = next;
	next->l_prev = us->l_prev;
	us->l_next = next->l_next;
	if (us->l_next)
		us->l_next->l_prev = us;
	next->l_next = us;
	us->l_prev = next;
}

void next_begin(void)
{
	struct link_map alone, *next, *us;
	struct images images;

	if (!images_find(&images))
		return;
	images_known = images;
	next = objects_after_us(&alone);
	us = next && next != &alone ? next->l_prev : NULL;
	if (us && us->l_prev && is_us(us) && is_address_sanitizer(next))
		stand_behind(us, next);
	if (next == &alone)
		return;
	first_after_us = next;
	while (next && next->l_next)
		next = next->l_next;
	last_to_stay = next;
}

uintptr_t next_variable(const char *name)
{
	struct link_map alone;

	for (const struct link_map *object = object_list(&alone); object; object = next_of(object)) {
		uintptr_t address = is_us(object) ? 0 : look_up(object, name, NULL);

		if (address)
			return address;
	}
	return 0;
}

/* A function that is looked for in objects that may be unmapped. */
struct later {
	const char *name, *version;
	uintptr_t address;
};

static int look_up_later(struct dl_phdr_info *info, size_t size, void *context)
{
	struct link_map object = {.l_addr = info->dlpi_addr};
	struct later *later = context;

	(void)size;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			object.l_ld = (ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (is_us(&object))
		return 0;
	later->address = look_up(&object, later->name, later->version);
	if (!later->address)
		later->address = look_up(&object, later->name, NULL);
	return later->address != 0;
}

uintptr_t next_function_later(const char *name, const char *version)
{
	typedef int look(struct dl_phdr_info *, size_t, void *);
	int (*each_object)(look *, void *) = (int (*)(look *, void *))next_function("dl_iterate_phdr", NULL);
	struct later later = {name, version, 0};

	if (each_object)
		each_object(look_up_later, &later);
	return later.address;
}

uintptr_t next_function(const char *name, const char *version)
{
	struct link_map alone;
	const struct link_map *first = objects_after_us(&alone);

	for (const char *wanted = version;; wanted = NULL) {
		for (const struct link_map *object = first; object; object = next_of(object)) {
			uintptr_t address = is_us(object) ? 0 : look_up(object, name, wanted);

			if (address)
				return address;
		}
		if (!wanted)
			return 0;
	}
}
