/* SPDX-License-Identifier: MIT */
/*
 * verify: the dynamic section. Entries that no pass may change must be there with the same values in the same order.
 * Other parts check what the remaining entries point at.
 */
#include <inttypes.h>
#include <string.h>

#include "verify/parts.h"

/* What passes may do to an entry. They may change its value, and: */
struct change {
	int64_t tag;
	uint32_t passes; /* enum note_pass bits: the passes that may do so */
	bool add;
	bool drop;
};

#define MOVES NOTE_PASS_COMPACT /* may move the table that the entry leads to */

static const struct change changes[] = {
	{DT_RELA, NOTE_PASS_RELR | NOTE_PASS_RELOCS | MOVES, false, true},
	{DT_RELASZ, NOTE_PASS_RELR, false, true},
	{DT_RELAENT, NOTE_PASS_RELR, false, true},
	{DT_RELACOUNT, NOTE_PASS_RELR, false, true},
	{DT_JMPREL, NOTE_PASS_RELOCS | MOVES, false, false},
	{DT_RELR, NOTE_PASS_RELR, true, false},
	{DT_RELR, MOVES, false, false},
	{DT_RELRSZ, NOTE_PASS_RELR, true, false},
	{DT_RELRENT, NOTE_PASS_RELR, true, false},
	{DT_VERNEED, NOTE_PASS_RELR | MOVES, false, false},
	{DT_STRTAB, NOTE_PASS_RELR | MOVES, false, false},
	{DT_STRSZ, NOTE_PASS_RELR, false, false},
	{DT_SYMTAB, MOVES, false, false},
	{DT_HASH, MOVES, false, false},
	{DT_GNU_HASH, MOVES, false, false},
	{DT_VERSYM, MOVES, false, false},
	{DT_VERDEF, MOVES, false, false},
};

static const struct change *change_of(const struct verify *verify, int64_t tag)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (changes[i].tag == tag && (changes[i].passes & verify->note->passes) != 0)
			return &changes[i];
	return NULL;
}

size_t verify_dynamic_find(const struct elf_view *view, int64_t tag, uint64_t *ret_value)
{
	size_t found = 0;

	for (size_t i = 0; i < view->n_used; i++)
		if (view->dynamic[i].d_tag == tag && found++ == 0)
			*ret_value = view->dynamic[i].d_un.d_val;
	return found;
}

/* Compares the entries that no pass may change, side by side. */
static int compare_fixed(struct verify *verify)
{
	const Elf64_Dyn *old = verify->old->dynamic, *new = verify->new->dynamic;
	size_t n_old = verify->old->n_used, n_new = verify->new->n_used, at = 0;

	for (size_t i = 0; i < n_new; i++) {
		if (change_of(verify, new[i].d_tag))
			continue;
		while (at < n_old && change_of(verify, old[at].d_tag))
			at++;
		if (at == n_old || old[at].d_tag != new[i].d_tag)
			return verify_wrong(verify,
				"has a dynamic entry of tag %#" PRIx64 " where the original has none",
				(uint64_t) new[i].d_tag);
		if (old[at].d_un.d_val != new[i].d_un.d_val)
			return verify_wrong(verify,
				"has a dynamic entry of tag %#" PRIx64 " with the value %#" PRIx64
				" instead of %#" PRIx64,
				(uint64_t) new[i].d_tag, new[i].d_un.d_val, old[at].d_un.d_val);
		at++;
	}
	for (; at < n_old; at++)
		if (!change_of(verify, old[at].d_tag))
			return verify_wrong(verify, "has lost its dynamic entry of tag %#" PRIx64,
				(uint64_t)old[at].d_tag);
	return 0;
}

/* Checks the entries that a pass may change: at most one of each, so that the first is also the last. */
static int check_changeable(struct verify *verify)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct change *change = change_of(verify, changes[i].tag);
		uint64_t tag = (uint64_t)changes[i].tag, old = 0, new = 0;
		size_t before, after;

		if (change != &changes[i])
			continue;
		before = verify_dynamic_find(verify->old, change->tag, &old);
		after = verify_dynamic_find(verify->new, change->tag, &new);
		if (before > 1 || after > 1)
			return verify_wrong(verify, "has more than one dynamic entry of tag %#" PRIx64, tag);
		if (after > before && !change->add)
			return verify_wrong(verify,
				"has a dynamic entry of tag %#" PRIx64 " where the original has none", tag);
		if (after < before && !change->drop)
			return verify_wrong(verify, "has lost its dynamic entry of tag %#" PRIx64, tag);
		verify->report->dynamic_changed += before != after || old != new;
	}
	return 0;
}

/* Checks that what follows the end of the list, which has no meaning, is unchanged or zero. */
static int check_rest(struct verify *verify)
{
	static const Elf64_Dyn zero;
	const struct elf_view *old = verify->old, *new = verify->new;

	for (size_t i = new->n_used; i < new->n_dynamic; i++)
		if (memcmp(&new->dynamic[i], &zero, sizeof(zero)) != 0 &&
			memcmp(&new->dynamic[i], &old->dynamic[i], sizeof(zero)) != 0)
			return verify_wrong(verify, "has something after the end of its dynamic section");
	return 0;
}

int verify_dynamic(struct verify *verify)
{
	int r;

	if (verify->old->n_dynamic != verify->new->n_dynamic)
		return verify_wrong(verify, "has a dynamic section of another size than the original");
	r = compare_fixed(verify);
	if (r == 0)
		r = check_changeable(verify);
	return r < 0 ? r : check_rest(verify);
}
