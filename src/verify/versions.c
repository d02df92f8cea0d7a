/* SPDX-License-Identifier: MIT */
/*
 * verify: required symbol versions (LSB 5.0, "Version Requirements") and the strings of their names. An object with
 * packed relocations requires GLIBC_ABI_DT_RELR of its libc; nothing else may be new.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "verify/parts.h"

#define RELR_VERSION      "GLIBC_ABI_DT_RELR"
#define RELR_VERSION_HASH 0xfd0e42u /* hash of GLIBC_ABI_DT_RELR (gABI, "Hash Table") */
#define LIBC_PREFIX       "libc.so."
#define INDEX_MASK        0x7fffu /* of vna_other and vd_ndx: the bit above is a flag */
#define INDEX_FIRST       2u      /* the ones below mean local and global */
#define RECORDS_MAX       65536u

/* A version that a library must have, without its link to the next. */
struct requirement {
	uint64_t library; /* its number */
	Elf64_Verneed need;
	Elf64_Vernaux version;
};

struct requirements {
	struct requirement *items; /* owned */
	size_t n, capacity;
};

static void requirements_releasep(struct requirements *requirements)
{
	free(requirements->items);
}

/* Reads the versions of one library, up to the one that links to no next, as the loader does. */
static int read_versions(struct verify *verify, const struct elf_view *view, uint64_t address,
	struct requirement requirement, struct requirements *ret)
{
	size_t count = 0, wanted = requirement.need.vn_cnt;
	uint64_t next;

	address += requirement.need.vn_aux;
	requirement.need.vn_cnt = 0;
	requirement.need.vn_aux = requirement.need.vn_next = 0;
	do {
		int r;

		if (!elf_view_read(view, address, &requirement.version, sizeof(requirement.version)))
			return verify_wrong(verify, "has a required version that lies outside of the file");
		next = requirement.version.vna_next;
		requirement.version.vna_next = 0;
		r = ARRAY_RESERVE(ret->items, ret->capacity, ret->n + 1);
		if (r < 0)
			return r;
		ret->items[ret->n++] = requirement;
		if (ret->n > RECORDS_MAX)
			return verify_wrong(verify, "has more required versions than there can be");
		address += next;
		count++;
	} while (next != 0);
	return count == wanted ? 0 : verify_wrong(verify, "has a library with a wrong number of versions");
}

static int read_requirements(struct verify *verify, const struct elf_view *view, struct requirements *ret)
{
	uint64_t address, count, next;
	struct requirement requirement = {0};

	if (verify_dynamic_find(view, DT_VERNEED, &address) == 0 ||
		verify_dynamic_find(view, DT_VERNEEDNUM, &count) == 0)
		return verify_wrong(verify, "has packed relocations and requires no version of libc");
	do {
		int r;

		if (!elf_view_read(view, address, &requirement.need, sizeof(requirement.need)))
			return verify_wrong(verify, "has a required version that lies outside of the file");
		next = requirement.need.vn_next;
		r = read_versions(verify, view, address, requirement, ret);
		if (r < 0)
			return r;
		address += next;
		requirement.library++;
	} while (next != 0);
	return requirement.library == count
		? 0
		: verify_wrong(verify, "has a DT_VERNEEDNUM that is not the number of libraries");
}

/*
 * Whether the text is at that offset of the string table, with its NUL if `size` counts it. The loader ignores
 * DT_STRSZ.
 */
static bool string_is(const struct elf_view *view, uint64_t offset, const char *text, size_t size)
{
	uint64_t table;
	char found[32];

	return size <= sizeof(found) && verify_dynamic_find(view, DT_STRTAB, &table) > 0 &&
		elf_view_read(view, table + offset, found, size) && memcmp(found, text, size) == 0;
}

static bool is_relr_version(const struct elf_view *view, const struct requirement *requirement)
{
	return string_is(view, requirement->version.vna_name, RELR_VERSION, sizeof(RELR_VERSION)) &&
		string_is(view, requirement->need.vn_file, LIBC_PREFIX, strlen(LIBC_PREFIX));
}

/* Finds out whether a version that the object itself defines has that number. */
static int find_definition(struct verify *verify, unsigned index, bool *ret)
{
	uint64_t address;
	Elf64_Verdef definition = {.vd_next = 1};
	size_t n = 0;

	*ret = false;
	if (verify_dynamic_find(verify->new, DT_VERDEF, &address) == 0)
		return 0;
	for (; definition.vd_next != 0; address += definition.vd_next) {
		if (++n > RECORDS_MAX ||
			!elf_view_read(verify->new, address, &definition, sizeof(definition)))
			return verify_wrong(verify, "has versions of its own that lie outside of the file");
		if ((definition.vd_ndx & INDEX_MASK) == index)
			*ret = true;
	}
	return 0;
}

/* Checks the added version: correctly made, and with a number of its own. */
static int check_added(struct verify *verify, const struct requirements *all, size_t added)
{
	const struct requirement *new = &all->items[added];
	unsigned index = new->version.vna_other;
	bool taken;
	int r;

	if (!is_relr_version(verify->new, new))
		return verify_wrong(verify,
			"requires a version that the original does not, other than " RELR_VERSION " of libc");
	if (new->version.vna_hash != RELR_VERSION_HASH || new->version.vna_flags != 0)
		return verify_wrong(verify, "requires " RELR_VERSION " with a wrong hash or flag");
	r = find_definition(verify, index, &taken);
	if (r < 0)
		return r;
	for (size_t i = 0; i < all->n; i++)
		if (i != added && (all->items[i].version.vna_other & INDEX_MASK) == index)
			taken = true;
	if (taken || index < INDEX_FIRST || index > INDEX_MASK)
		return verify_wrong(
			verify, "requires " RELR_VERSION " by a number that is not its own, %u", index);
	verify->report->versions_added = 1;
	verify->name_end = new->version.vna_name + sizeof(RELR_VERSION);
	return 0;
}

static bool same(const struct requirement *a, const struct requirement *b)
{
	return a->library == b->library && memcmp(&a->need, &b->need, sizeof(a->need)) == 0 &&
		memcmp(&a->version, &b->version, sizeof(a->version)) == 0;
}

/* Checks for everything that the original requires, in its order, and at most one more. */
static int compare_requirements(
	struct verify *verify, const struct requirements *old, const struct requirements *new)
{
	size_t at = 0, added = SIZE_MAX;
	bool has_relr = false;

	for (size_t i = 0; i < new->n; i++) {
		if (at < old->n && same(&old->items[at], &new->items[i])) {
			has_relr |= is_relr_version(verify->new, &new->items[i]);
			at++;
		} else if (added == SIZE_MAX) {
			added = i;
		} else {
			return verify_wrong(verify, "requires other versions than the original does");
		}
	}
	if (at < old->n)
		return verify_wrong(verify, "no longer requires all versions that the original does");
	if (added != SIZE_MAX)
		return check_added(verify, new, added);
	return has_relr ? 0
			: verify_wrong(verify, "has packed relocations and does not require " RELR_VERSION);
}

/* Strings are found by their offset, so if the table has moved, all of it must be unchanged. */
static int compare_strings(struct verify *verify)
{
	_cleanup_free_ void *before = NULL, *after = NULL;
	uint64_t old = 0, new = 0, old_size = 0, new_size = 0;
	int r;

	verify_dynamic_find(verify->old, DT_STRTAB, &old);
	verify_dynamic_find(verify->old, DT_STRSZ, &old_size);
	verify_dynamic_find(verify->new, DT_STRTAB, &new);
	verify_dynamic_find(verify->new, DT_STRSZ, &new_size);
	if ((new_size != old_size && new_size != verify->name_end) || new_size < verify->name_end)
		return verify_wrong(verify, "has a string table of another size than the original");
	if (old == new)
		return 0;
	r = verify_read_alloc(verify->old, old, old_size, &before);
	if (r == 0)
		r = verify_read_alloc(verify->new, new, old_size, &after);
	if (r == -ENODATA)
		return verify_wrong(verify, "has a string table that lies outside of the file");
	if (r < 0)
		return r;
	return memcmp(before, after, old_size) == 0
		? 0
		: verify_wrong(verify, "has other strings than the original");
}

/* Without the pass, comparing the entries and pages with all this is enough. */
int verify_versions(struct verify *verify)
{
	_cleanup_(requirements_releasep) struct requirements old = {0}, new = {0};
	int r;

	if ((verify->note->passes & NOTE_PASS_RELR) == 0)
		return 0;
	r = read_requirements(verify, verify->old, &old);
	if (r == 0)
		r = read_requirements(verify, verify->new, &new);
	if (r == 0)
		r = compare_requirements(verify, &old, &new);
	return r < 0 ? r : compare_strings(verify);
}
