/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the pass that packs relative relocations. Whatever the object: once relocated, its memory is the same
 * as before, or the pass has given a reason and changed nothing.
 */
#include "relocs-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/relr.h"
#include "format/note.h"

static uint64_t get(const struct fixture *fixture, int64_t tag)
{
	uint64_t value;

	assert_true(relayout_dynamic_get(&fixture->image, tag, &value));
	return value;
}

static bool has(const struct fixture *fixture, int64_t tag)
{
	uint64_t value;

	return relayout_dynamic_get(&fixture->image, tag, &value);
}

static size_t n_packed(const struct fixture *fixture)
{
	struct relr_reader reader = {.size = get(fixture, DT_RELRSZ)};
	uint64_t place;
	size_t n = 0;
	int r;

	reader.table = object_at(&fixture->image, get(fixture, DT_RELR), reader.size);
	assert_non_null(reader.table);
	while ((r = relr_next(&reader, &place)) == 1)
		n++;
	assert_int_equal(r, 0);
	return n;
}

/* Packs the object as it is now: this many relative relocations must be packed, and this many others must stay. */
static void assert_packs(struct fixture *fixture, size_t want_packed, size_t want_left)
{
	fixture_open(fixture);
	assert_passes(fixture, pass_relr);
	assert_int_equal(n_packed(fixture), want_packed);
	assert_int_equal(get(fixture, DT_RELRENT), 8);
	assert_int_equal(
		has(fixture, DT_RELASZ) ? get(fixture, DT_RELASZ) : 0, want_left * sizeof(Elf64_Rela));
	assert_false(has(fixture, DT_RELACOUNT));
}

static void init(struct fixture *fixture)
{
	*fixture = (struct fixture){.options.loader_knows_relr = true};
	object_init(&fixture->object);
}

static void relative_relocations_are_packed(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	assert_int_equal(fixture.image.passes, NOTE_PASS_RELR);
	assert_int_equal(fixture.outcome.before, OBJECT_N_RELA * 24);
	assert_int_equal(fixture.outcome.after, 20 * 24 + 11 * 8);
	/* 580 places in a row: an address, nine full bitmaps and one of 12. */
	assert_int_equal(get(&fixture, DT_RELRSZ), 11 * 8);
	/* The rest stays in its place, and so ends where the PLT's relocations begin. */
	assert_int_equal(get(&fixture, DT_RELA), OBJECT_RELA + OBJECT_N_RELATIVE * 24);
	assert_int_equal(get(&fixture, DT_JMPREL), OBJECT_PLT);
	assert_int_equal(relayout_dynamic_spare(&fixture.image), OBJECT_SPARE + 1 - 3);
}

static void pages_of_the_packed_part_are_cold(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;
	const struct relayout_page *pages;

	init(&fixture);
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	pages = fixture.image.segments[0].pages;
	/* 0x1400 to 0x4a60 is packed. Pages 1 and 4 are still read for other reasons. */
	assert_int_equal(pages[1].order, 1);
	assert_int_equal(pages[2].order, RELAYOUT_COLD);
	assert_int_equal(pages[3].order, RELAYOUT_COLD);
	assert_int_equal(pages[4].order, 4);
	assert_non_null(fixture.image.segments[1].pages[0].bytes);
	assert_non_null(fixture.image.segments[1].pages[1].bytes);
}

static void addends_that_are_there_change_no_page(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	for (size_t i = 0; i < OBJECT_N_RELATIVE; i++)
		fixture.object.words[i] = (uint64_t)fixture.object.rela[i].r_addend;
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	assert_null(fixture.image.segments[1].pages[0].bytes);
	assert_null(fixture.image.segments[1].pages[1].bytes);
}

static const Elf64_Vernaux *find_version(const struct fixture *fixture, const char *want_library)
{
	uint64_t strings = get(fixture, DT_STRTAB), at = get(fixture, DT_VERNEED);

	for (uint64_t i = 0; i < get(fixture, DT_VERNEEDNUM); i++) {
		const Elf64_Verneed *library = object_at(&fixture->image, at, sizeof(*library));
		uint64_t aux = at + library->vn_aux;

		assert_int_equal(library->vn_version, VER_NEED_CURRENT);
		assert_int_equal(library->vn_next == 0, i + 1 == get(fixture, DT_VERNEEDNUM));
		for (unsigned j = 0; j < library->vn_cnt; j++) {
			const Elf64_Vernaux *version = object_at(&fixture->image, aux, sizeof(*version));
			const char *name = object_at(&fixture->image, strings + version->vna_name, 18);
			const char *file = object_at(&fixture->image, strings + library->vn_file, 1);

			assert_int_equal(version->vna_next == 0, j + 1 == library->vn_cnt);
			assert_true(version->vna_name < get(fixture, DT_STRSZ));
			if (strcmp(name, "GLIBC_ABI_DT_RELR") == 0 && strcmp(file, want_library) == 0)
				return version;
			aux += version->vna_next;
		}
		at += library->vn_next;
	}
	return NULL;
}

static void libc_must_have_the_version(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;
	const Elf64_Vernaux *version;
	const Elf64_Verneed *math;

	init(&fixture);
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	version = find_version(&fixture, "libc.so.6");
	assert_non_null(version);
	assert_null(find_version(&fixture, "libm.so.6"));
	assert_int_equal(version->vna_hash, 0xfd0e42); /* glibc 2.36, libc.so.6, Verdef of that name */
	assert_int_equal(version->vna_other, 6);       /* 1 to 5 are taken */
	assert_int_equal(version->vna_flags, 0);
	/* The other records are unchanged. */
	math = object_at(&fixture.image, get(&fixture, DT_VERNEED), 32);
	assert_memory_equal(math, &fixture.object.math, 32);
	assert_int_equal(get(&fixture, DT_STRSZ),
		get(&fixture, DT_STRTAB) == OBJECT_STRINGS ? version->vna_name + sizeof("GLIBC_ABI_DT_RELR")
							   : 0);
}

static void definitions_take_indices_too(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	fixture.object.verdef[1].vd_ndx = 77;
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	assert_int_equal(find_version(&fixture, "libc.so.6")->vna_other, 78);
}

static void a_version_that_is_there_is_not_added(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	strcpy(fixture.object.strings + 100, "GLIBC_ABI_DT_RELR");
	fixture.object.libc_versions[0].vna_name = 100;
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	assert_int_equal(get(&fixture, DT_VERNEED), OBJECT_VERNEED);
	assert_int_equal(get(&fixture, DT_STRSZ), sizeof(fixture.object.strings));
}

static void the_order_of_places_does_not_matter(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	for (size_t i = 0; i < OBJECT_N_RELATIVE / 2; i++) {
		Elf64_Rela entry = fixture.object.rela[i];

		fixture.object.rela[i] = fixture.object.rela[OBJECT_N_RELATIVE - 1 - i];
		fixture.object.rela[OBJECT_N_RELATIVE - 1 - i] = entry;
	}
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
}

static void what_stays_keeps_its_order(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;
	const Elf64_Rela *left;

	init(&fixture);
	fixture.object.rela[7].r_offset = OBJECT_WORDS + 702 * 8 + 4;
	fixture.object.rela[9].r_offset = OBJECT_WORDS + 700 * 8 + 4;
	assert_packs(&fixture, OBJECT_N_RELATIVE - 2, 22);
	left = object_at(&fixture.image, get(&fixture, DT_RELA), 2 * sizeof(*left));
	assert_memory_equal(&left[0], &fixture.object.rela[7], sizeof(*left));
	assert_memory_equal(&left[1], &fixture.object.rela[9], sizeof(*left));
}

static void aarch64_is_like_x86_64(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	fixture.object.header.e_machine = EM_AARCH64;
	for (size_t i = 0; i < OBJECT_N_RELA; i++)
		fixture.object.rela[i].r_info = ELF64_R_INFO(ELF64_R_SYM(fixture.object.rela[i].r_info),
			i < OBJECT_N_RELATIVE ? R_AARCH64_RELATIVE : R_AARCH64_GLOB_DAT);
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
}

/* If one stays, the rest of the table moves, with the PLT's relocations behind it. */
static void assert_one_stays(struct fixture *fixture)
{
	const Elf64_Rela *left;

	assert_packs(fixture, OBJECT_N_RELATIVE - 1, 21);
	assert_true(get(fixture, DT_RELA) >= fixture->image.tables_address);
	assert_int_equal(get(fixture, DT_JMPREL), get(fixture, DT_RELA) + 21 * 24);
	left = object_at(&fixture->image, get(fixture, DT_RELA), 25 * 24);
	assert_memory_equal(left, &fixture->object.rela[7], 24);
	assert_memory_equal(left + 1, &fixture->object.rela[OBJECT_N_RELATIVE], 20 * 24);
	assert_memory_equal(left + 21, fixture->object.plt, 4 * 24);
	assert_int_equal(fixture->image.passes, NOTE_PASS_RELR | NOTE_PASS_RELOCS);
	assert_int_equal(fixture->image.segments[0].pages[4].order, 4); /* it does not end with the table */
}

static void places_that_cannot_be_packed_stay(void **state)
{
	const uint64_t places[] = {
		OBJECT_WORDS + 700 * 8 + 4, /* not aligned */
		OBJECT_WORDS + 700 * 8 + 1,
		OBJECT_DATA_END,       /* .bss */
		OBJECT_DATA_END - 4,   /* partly */
		0x5000,                /* not writable */
		0x800,                 /* with the ELF header */
		OBJECT_DATA + 31 * 16, /* the dynamic section */
		0x6000,                /* in no segment */
		UINT64_MAX - 3,
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		_cleanup_(fixture_close) struct fixture fixture;

		init(&fixture);
		fixture.object.rela[7].r_offset = places[i];
		assert_one_stays(&fixture);
	}
}

static void the_first_page_stays_even_if_it_is_writable(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	fixture.object.text.p_flags |= PF_W;
	fixture.object.rela[7].r_offset = 0x800;
	assert_one_stays(&fixture);
}

static void relocations_that_change_relocations_stay(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	fixture.object.text.p_flags |= PF_W;
	fixture.object.rela[7].r_offset = OBJECT_PLT + 8;
	assert_one_stays(&fixture);
}

static void other_relocations_at_a_place_come_later(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	fixture.object.rela[OBJECT_N_RELATIVE].r_offset = OBJECT_WORDS + 3 * 8;
	fixture.object.rela[OBJECT_N_RELA - 1].r_offset = OBJECT_WORDS + 4 * 8; /* IRELATIVE */
	fixture.object.plt[0].r_offset = OBJECT_WORDS + 5 * 8; /* lazily, adds to what is there */
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
}

static void only_the_run_at_the_beginning_is_packed(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	/* The last relative relocation overwrites what a symbol's relocation stored before. */
	init(&fixture);
	fixture.object.rela[500].r_info = ELF64_R_INFO(3, R_X86_64_64);
	fixture.object.rela[579].r_offset = fixture.object.rela[500].r_offset;
	object_dynamic(&fixture.object, DT_RELACOUNT)->d_un.d_val = 500;
	assert_packs(&fixture, 500, 100);
}

static void the_count_may_be_less_or_missing(void **state)
{
	struct fixture fixture;

	init(&fixture);
	object_dynamic(&fixture.object, DT_RELACOUNT)->d_un.d_val = 3;
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	fixture_close(&fixture);
	object_drop(&fixture.object, DT_RELACOUNT);
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	assert_int_equal(relayout_dynamic_spare(&fixture.image), OBJECT_SPARE + 1 - 3);
	fixture_close(&fixture);
	init(&fixture);
	object_dynamic(&fixture.object, DT_RELACOUNT)->d_un.d_val = OBJECT_N_RELATIVE + 1;
	assert_refused(&fixture, pass_relr, "DT_RELACOUNT counts relocations that are not relative");
}

static void the_plt_may_be_counted_or_apart(void **state)
{
	struct fixture fixture;

	init(&fixture);
	object_dynamic(&fixture.object, DT_RELASZ)->d_un.d_val += OBJECT_N_PLT * 24;
	assert_packs(&fixture, OBJECT_N_RELATIVE, 24);
	fixture_close(&fixture);
	fixture.object.rela[7].r_offset = OBJECT_WORDS + 700 * 8 + 4;
	fixture_open(&fixture);
	assert_passes(&fixture, pass_relr);
	assert_int_equal(get(&fixture, DT_RELASZ), 25 * 24);
	assert_int_equal(get(&fixture, DT_JMPREL), get(&fixture, DT_RELA) + 21 * 24);
	fixture_close(&fixture);

	init(&fixture);
	memmove((uint8_t *)fixture.object.plt + 64, fixture.object.plt, sizeof(fixture.object.plt));
	object_dynamic(&fixture.object, DT_JMPREL)->d_un.d_val += 64;
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	fixture_close(&fixture);

	object_dynamic(&fixture.object, DT_JMPREL)->d_un.d_val = OBJECT_PLT - 24;
	assert_refused(&fixture, pass_relr, "tables that overlap");
	init(&fixture);
	object_dynamic(&fixture.object, DT_PLTREL)->d_un.d_val = DT_REL;
	assert_refused(&fixture, pass_relr, "DT_JMPREL makes no sense");
}

static void without_anything_left_there_is_no_table(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	object_drop(&fixture.object, DT_JMPREL);
	object_drop(&fixture.object, DT_PLTRELSZ);
	object_drop(&fixture.object, DT_PLTREL);
	object_dynamic(&fixture.object, DT_RELASZ)->d_un.d_val = OBJECT_N_RELATIVE * 24;
	object_spare(&fixture.object, 0);
	assert_packs(&fixture, OBJECT_N_RELATIVE, 0);
	assert_false(has(&fixture, DT_RELA) || has(&fixture, DT_RELASZ) || has(&fixture, DT_RELAENT));
	assert_int_equal(relayout_dynamic_spare(&fixture.image), 1); /* four gone, three new */
}

static void room_is_needed_for_three_entries(void **state)
{
	struct fixture fixture;

	init(&fixture);
	object_spare(&fixture.object, 2); /* and DT_RELACOUNT's */
	assert_packs(&fixture, OBJECT_N_RELATIVE, 20);
	assert_int_equal(relayout_dynamic_spare(&fixture.image), 0);
	fixture_close(&fixture);
	object_spare(&fixture.object, 1);
	assert_refused(&fixture, pass_relr, "no room for DT_RELR");
	object_spare(&fixture.object, 0);
	assert_refused(&fixture, pass_relr, "no room for DT_RELR");
}

static void assert_tag_refused(int64_t tag, uint64_t value, const char *words)
{
	struct fixture fixture;

	init(&fixture);
	object_dynamic(&fixture.object, tag)->d_un.d_val = value;
	assert_refused(&fixture, pass_relr, words);
}

static void other_kinds_of_relocations_are_refused(void **state)
{
	assert_tag_refused(DT_RELR, 0, "has DT_RELR already");
	assert_tag_refused(DT_REL, OBJECT_RELA, "of the kind DT_REL");
	assert_tag_refused(0x60000011, OBJECT_RELA, "Android");
	assert_tag_refused(DT_RELAENT, 16, "DT_RELAENT");
	assert_tag_refused(DT_RELASZ, 23, "DT_RELA makes no sense");
	assert_tag_refused(DT_RELASZ, UINT64_MAX / 24 * 24, "DT_RELA makes no sense");
	assert_tag_refused(DT_RELA, 0x8d00, "do not lie in the file");
	assert_tag_refused(DT_PLTRELSZ, 1, "DT_JMPREL makes no sense");
	assert_tag_refused(
		DT_JMPREL, OBJECT_MEMORY, "DT_JMPREL makes no sense"); /* where the tables will lie */
}

static void an_entry_that_is_there_twice_is_refused(void **state)
{
	struct fixture fixture;

	init(&fixture);
	*object_dynamic(&fixture.object, DT_NULL) = (Elf64_Dyn){DT_RELASZ, {24}};
	assert_refused(&fixture, pass_relr, "twice");
}

static void a_table_that_is_missing_or_has_none_is_refused(void **state)
{
	struct fixture fixture;

	init(&fixture);
	object_drop(&fixture.object, DT_RELA);
	assert_refused(&fixture, pass_relr, "has no DT_RELA");
	init(&fixture);
	fixture.object.rela[0].r_info = ELF64_R_INFO(1, R_X86_64_64);
	object_drop(&fixture.object, DT_RELACOUNT);
	assert_refused(&fixture, pass_relr, "no relative relocations");
	init(&fixture);
	for (size_t i = 0; i < OBJECT_N_RELATIVE; i++)
		fixture.object.rela[i].r_offset = 0x1800 + i * 8;
	assert_refused(&fixture, pass_relr, "lie where they cannot be packed");
}

static void relocations_that_overlap_are_refused(void **state)
{
	struct fixture fixture;

	init(&fixture);
	fixture.object.rela[400].r_offset = fixture.object.rela[3].r_offset;
	assert_refused(&fixture, pass_relr, "overlap");
	init(&fixture);
	fixture.object.rela[400].r_offset = fixture.object.rela[3].r_offset + 4;
	assert_refused(&fixture, pass_relr, "overlap");
}

static void a_loader_that_cannot_is_not_asked_to(void **state)
{
	struct fixture fixture;

	init(&fixture);
	fixture.options.loader_knows_relr = false;
	assert_refused(&fixture, pass_relr, "does not know DT_RELR");
}

static void an_older_loader_must_be_told(void **state)
{
	struct fixture fixture;

	init(&fixture);
	strcpy(fixture.object.strings + fixture.object.dynamic[1].d_un.d_val, "libc.musl-x86_64.so.1");
	assert_refused(&fixture, pass_relr, "does not need libc");
	init(&fixture);
	object_drop(&fixture.object, DT_VERNEED);
	assert_refused(&fixture, pass_relr, "requires no version of libc");
	init(&fixture);
	object_drop(&fixture.object, DT_VERSYM);
	assert_refused(&fixture, pass_relr, "requires no version of libc");
	init(&fixture);
	fixture.object.math.vn_next = 0;
	object_dynamic(&fixture.object, DT_VERNEEDNUM)->d_un.d_val = 1;
	assert_refused(&fixture, pass_relr, "requires no version of libc");
}

static void versions_that_make_no_sense_are_refused(void **state)
{
	struct fixture fixture;

	init(&fixture);
	fixture.object.math.vn_next = 0x10000;
	assert_refused(&fixture, pass_relr, "versions make no sense");
	init(&fixture);
	fixture.object.math.vn_cnt = 2;
	assert_refused(&fixture, pass_relr, "versions make no sense");
	init(&fixture);
	fixture.object.libc.vn_version = 2;
	assert_refused(&fixture, pass_relr, "versions make no sense");
	init(&fixture);
	fixture.object.libc_versions[0].vna_next = 0;
	assert_refused(&fixture, pass_relr, "versions make no sense");
	init(&fixture);
	fixture.object.libc_versions[0].vna_other = 0x7fff;
	assert_refused(&fixture, pass_relr, "versions make no sense");
	init(&fixture);
	fixture.object.verdef[0].vd_next = 0;
	assert_refused(&fixture, pass_relr, "versions make no sense");
	assert_tag_refused(DT_VERNEEDNUM, UINT64_MAX, "versions make no sense");
	assert_tag_refused(DT_VERDEFNUM, UINT64_MAX, "versions make no sense");
}

static void names_reach_no_farther_than_4_gib(void **state)
{
	struct fixture fixture;

	init(&fixture);
	fixture.object.data.p_vaddr += UINT64_C(1) << 32;
	fixture.object.dynamic_phdr.p_vaddr += UINT64_C(1) << 32;
	for (size_t i = 0; i < OBJECT_N_RELATIVE; i++)
		fixture.object.rela[i].r_offset += UINT64_C(1) << 32;
	assert_refused(&fixture, pass_relr, "4 GiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relative_relocations_are_packed),
		cmocka_unit_test(pages_of_the_packed_part_are_cold),
		cmocka_unit_test(addends_that_are_there_change_no_page),
		cmocka_unit_test(libc_must_have_the_version),
		cmocka_unit_test(definitions_take_indices_too),
		cmocka_unit_test(a_version_that_is_there_is_not_added),
		cmocka_unit_test(the_order_of_places_does_not_matter),
		cmocka_unit_test(what_stays_keeps_its_order),
		cmocka_unit_test(aarch64_is_like_x86_64),
		cmocka_unit_test(places_that_cannot_be_packed_stay),
		cmocka_unit_test(the_first_page_stays_even_if_it_is_writable),
		cmocka_unit_test(relocations_that_change_relocations_stay),
		cmocka_unit_test(other_relocations_at_a_place_come_later),
		cmocka_unit_test(only_the_run_at_the_beginning_is_packed),
		cmocka_unit_test(the_count_may_be_less_or_missing),
		cmocka_unit_test(the_plt_may_be_counted_or_apart),
		cmocka_unit_test(without_anything_left_there_is_no_table),
		cmocka_unit_test(room_is_needed_for_three_entries),
		cmocka_unit_test(other_kinds_of_relocations_are_refused),
		cmocka_unit_test(an_entry_that_is_there_twice_is_refused),
		cmocka_unit_test(a_table_that_is_missing_or_has_none_is_refused),
		cmocka_unit_test(relocations_that_overlap_are_refused),
		cmocka_unit_test(a_loader_that_cannot_is_not_asked_to),
		cmocka_unit_test(an_older_loader_must_be_told),
		cmocka_unit_test(versions_that_make_no_sense_are_refused),
		cmocka_unit_test(names_reach_no_farther_than_4_gib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
