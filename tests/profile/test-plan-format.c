/* SPDX-License-Identifier: MIT */
/* Unit tests of src/format: the names of plans, and every way in which a plan can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/plan-name.h"
#include "format/plan-view.h"
#include "seal.h"

/*
 * A good plan whose parts lie where C puts them: two probes, a folder and a library, two extents, metadata of two file
 * systems.
 */
struct sample {
	struct plan_header header;
	struct plan_probe probes[2];
	char probe_paths[16]; /* "/lib/a" at 0, "/bin/b" at 8 */
	struct plan_file files[2];
	struct plan_extent extents[2];
	struct plan_file_system file_systems[2];
	struct plan_metadata metadata[3]; /* the last is of the second file system */
	char strings[32];                 /* "/bin/b" at 0, "/lib" at 8, "/lib/a" at 16 */
};

static struct sample sample(void)
{
	struct sample plan = {
		.header =
			{
				.version = LE32(PLAN_VERSION),
				.page_size = LE32(4096),
				.order = LE32(PLAN_ORDER_PHYSICAL),
				.probe_count = LE32(2),
				.probes_end = LE32(offsetof(struct sample, files)),
				.file_count = LE32(2),
				.files_offset = LE32(offsetof(struct sample, files)),
				.extent_count = LE32(2),
				.extents_offset = LE32(offsetof(struct sample, extents)),
				.file_system_count = LE32(2),
				.file_systems_offset = LE32(offsetof(struct sample, file_systems)),
				.metadata_count = LE32(3),
				.metadata_offset = LE32(offsetof(struct sample, metadata)),
				.strings_offset = LE32(offsetof(struct sample, strings)),
				.window_pages = LE32(32),
			},
		.probes =
			{
				{.page = LE32(1), .path = LE16(offsetof(struct sample, probe_paths))},
				{.page = LE32(2), .path = LE16(offsetof(struct sample, probe_paths) + 8)},
			},
		.probe_paths = "/lib/a\0\0/bin/b",
		.files =
			{
				{.kind = LE32(PLAN_DIRECTORY), .path = LE32(8)},
				{.size = LE64(40961), .path = LE32(16)},
			},
		.extents =
			{
				{.file = LE32(1), .page = LE32(0), .pages = LE32(5), .gap = LE32(2)},
				{.file = LE32(1), .page = LE32(10), .pages = LE32(1)},
			},
		.file_systems =
			{
				{.id = LE64(1), .point = LE32(8), .metadata_count = LE32(2)},
				{.id = LE64(1), .point = LE32(0), .metadata_count = LE32(1)},
			},
		.metadata =
			{
				{.page = LE32(100), .pages = LE32(8), .gap = LE32(3)},
				{.page = LE32(108), .pages = LE32(1)},
				{.page = LE32(5), .pages = LE32(1)},
			},
		.strings = "/bin/b\0\0/lib\0\0\0\0/lib/a",
	};

	memcpy(plan.header.magic, PLAN_MAGIC, 8);
	seal_plan(&plan, sizeof(plan));
	return plan;
}

static enum plan_fault check(const void *data, size_t size)
{
	struct plan_view view;

	return plan_view_init(&view, data, size, checksum64);
}

static void a_good_plan_is_seen_whole(void **state)
{
	struct sample plan = sample();
	struct plan_view view;

	assert_true(plan_head_check(&plan, sizeof(plan)));
	assert_int_equal(plan_view_init(&view, &plan, sizeof(plan), checksum64), PLAN_GOOD);
	assert_int_equal(view.file_count, 2);
	assert_int_equal(view.extent_count, 2);
	assert_string_equal(plan_program(&view), "/bin/b");
	assert_string_equal(plan_file_path(&view, 0), "/lib");
	assert_string_equal(plan_file_path(&view, 1), "/lib/a");
	assert_int_equal(LE32(view.extents[1].page), 10);
	assert_int_equal(view.file_system_count, 2);
	assert_int_equal(view.metadata_count, 3);
	assert_string_equal(view.strings + LE32(view.file_systems[0].point), "/lib");
	assert_int_equal(LE32(view.metadata[2].page), 5);
	assert_ptr_equal(plan_head_probes(&plan), plan.probes);
}

/* The shim reads only the head: that must be enough, and no byte behind it may matter. */
static void a_head_is_good_by_itself(void **state)
{
	struct sample plan = sample();
	size_t head = LE32(plan.header.probes_end);
	void *exact = malloc(head);

	memcpy(exact, &plan, head);
	assert_true(plan_head_check(exact, head));
	free(exact);
	for (size_t size = 0; size < head; size++) {
		void *cut = malloc(size ? size : 1);

		memcpy(cut, &plan, size);
		assert_false(plan_head_check(cut, size));
		free(cut);
	}
}

static void every_truncation_is_refused(void **state)
{
	struct sample plan = sample();

	for (size_t size = 0; size < sizeof(plan); size++) {
		void *cut = malloc(size ? size : 1);

		memcpy(cut, &plan, size);
		assert_int_equal(check(cut, size), size < 8 ? PLAN_FOREIGN : PLAN_TRUNCATED);
		seal_plan(cut, size);
		if (size <= offsetof(struct sample, strings) + 16 + strlen("/lib/a"))
			assert_int_not_equal(check(cut, size), PLAN_GOOD);
		free(cut);
	}
}

static void every_changed_bit_is_noticed(void **state)
{
	struct sample plan = sample();
	unsigned char *bytes = (unsigned char *)&plan;

	for (size_t bit = 0; bit < sizeof(plan) * 8; bit++) {
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_not_equal(check(&plan, sizeof(plan)), PLAN_GOOD);
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_GOOD);
}

/* Sets one field of a good plan, corrects the checksums, and expects the fault. */
#define POKE(field, value, fault)                                                                            \
	do {                                                                                                 \
		struct sample plan_ = sample();                                                              \
		plan_.field = (value);                                                                       \
		seal_plan(&plan_, sizeof(plan_));                                                            \
		assert_int_equal(check(&plan_, sizeof(plan_)), fault);                                       \
	} while (0)

static void every_field_of_the_header_is_checked(void **state)
{
	POKE(header.created, 7, PLAN_GOOD);
	POKE(header.magic[0], 'X', PLAN_FOREIGN);
	POKE(header.magic[7], ' ', PLAN_FOREIGN);
	POKE(header.version, LE32(PLAN_VERSION + 1), PLAN_NEWER);
	POKE(header.version, LE32(PLAN_VERSION - 1), PLAN_OLDER);
	POKE(header.version, 0, PLAN_OLDER);
	POKE(header.static_tls, LE32(1u << 16), PLAN_GOOD);
	POKE(header.reserved, LE32(UINT32_MAX), PLAN_GOOD);
	POKE(header.page_size, 0, PLAN_DAMAGED);
	POKE(header.page_size, LE32(2048), PLAN_DAMAGED);
	POKE(header.page_size, LE32(4097), PLAN_DAMAGED);
	POKE(header.page_size, LE32(1u << 21), PLAN_DAMAGED);
	POKE(header.order, LE32(2), PLAN_DAMAGED);
	POKE(header.program, LE32(sizeof((struct sample){0}.strings)), PLAN_DAMAGED);
	POKE(header.program, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.program, LE32(1), PLAN_DAMAGED);
	POKE(header.probe_count, LE32(PLAN_PROBES_MAX + 1), PLAN_DAMAGED);
	POKE(header.probe_count, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.probe_count, LE32(3), PLAN_DAMAGED);
	POKE(header.probe_count, 0, PLAN_GOOD);
	POKE(header.probes_end, 0, PLAN_DAMAGED);
	POKE(header.probes_end, LE32(sizeof(struct plan_header) + 15), PLAN_DAMAGED);
	POKE(header.probes_end, LE32(PLAN_HEAD_MAX + 1), PLAN_DAMAGED);
	POKE(header.probes_end, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.probes_end, LE32(offsetof(struct sample, probe_paths) + 3), PLAN_DAMAGED);
	POKE(header.file_count, LE32(3), PLAN_DAMAGED);
	POKE(header.file_count, LE32(1), PLAN_DAMAGED);
	POKE(header.file_count, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.files_offset, LE32(offsetof(struct sample, files) + 4), PLAN_DAMAGED);
	POKE(header.files_offset, LE32(offsetof(struct sample, files) - 8), PLAN_DAMAGED);
	POKE(header.files_offset, LE32(UINT32_MAX - 7), PLAN_DAMAGED);
	POKE(header.extent_count, LE32(3), PLAN_DAMAGED);
	POKE(header.extent_count, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.extent_count, 0, PLAN_GOOD);
	POKE(header.extents_offset, LE32(offsetof(struct sample, extents) + 4), PLAN_DAMAGED);
	POKE(header.extents_offset, LE32(offsetof(struct sample, extents) - 8), PLAN_DAMAGED);
	POKE(header.extents_offset, LE32(UINT32_MAX - 7), PLAN_DAMAGED);
	POKE(header.strings_offset, LE32(sizeof(struct sample)), PLAN_DAMAGED);
	POKE(header.strings_offset, LE32(sizeof(struct sample) + 1), PLAN_DAMAGED);
	POKE(header.strings_offset, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.file_system_count, LE32(1), PLAN_DAMAGED);
	POKE(header.file_system_count, LE32(3), PLAN_DAMAGED);
	POKE(header.file_system_count, LE32(PLAN_FILE_SYSTEMS_MAX + 1), PLAN_DAMAGED);
	POKE(header.file_system_count, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.file_systems_offset, LE32(offsetof(struct sample, file_systems) + 4), PLAN_DAMAGED);
	POKE(header.file_systems_offset, LE32(offsetof(struct sample, file_systems) - 8), PLAN_DAMAGED);
	POKE(header.file_systems_offset, LE32(UINT32_MAX - 7), PLAN_DAMAGED);
	POKE(header.metadata_count, LE32(2), PLAN_DAMAGED);
	POKE(header.metadata_count, LE32(4), PLAN_DAMAGED);
	POKE(header.metadata_count, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(header.metadata_count, 0, PLAN_DAMAGED);
	POKE(header.metadata_offset, LE32(offsetof(struct sample, metadata) + 4), PLAN_DAMAGED);
	POKE(header.metadata_offset, LE32(offsetof(struct sample, metadata) - 8), PLAN_DAMAGED);
	POKE(header.metadata_offset, LE32(UINT32_MAX - 7), PLAN_DAMAGED);
	POKE(header.window_pages, 0, PLAN_DAMAGED);
	POKE(header.asked, LE64(UINT64_MAX), PLAN_GOOD);
	POKE(header.lost, LE32(UINT32_MAX), PLAN_GOOD);
	POKE(header.rule, LE32(1), PLAN_DAMAGED);
	POKE(header.rule, LE32(offsetof(struct sample, probe_paths) - 1), PLAN_DAMAGED);
	POKE(header.rule, LE32(offsetof(struct sample, files) - 1), PLAN_GOOD);
	POKE(header.rule, LE32(offsetof(struct sample, files)), PLAN_DAMAGED);
	POKE(header.rule, LE32(UINT32_MAX), PLAN_DAMAGED);
}

/* A rule in the place of the second probe's path. */
static struct sample sample_with_rule(void)
{
	struct sample plan = sample();

	plan.header.probe_count = LE32(1);
	plan.header.rule = LE32(offsetof(struct sample, probe_paths) + 8);
	seal_plan(&plan, sizeof(plan));
	return plan;
}

static void a_rule_is_in_the_head_and_ends_with_it(void **state)
{
	struct sample plan = sample_with_rule();

	assert_null(plan_head_rule(&(struct sample){0}));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_GOOD);
	assert_string_equal(plan_head_rule(&plan), "/bin/b");
	plan.probe_paths[15] = 'x';
	plan.header.probe_count = 0;
	seal_plan(&plan, sizeof(plan));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_DAMAGED);
}

static void a_plan_for_certain_starts_leads_to_no_other(void **state)
{
	struct sample plan = sample_with_rule();

	plan.header.asked = LE64(1);
	seal_plan(&plan, sizeof(plan));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_DAMAGED);
	assert_false(plan_head_check(&plan, sizeof(plan)));
}

/* The shim follows a rule in a moment, on a small stack. */
static void a_rule_has_a_greatest_length(void **state)
{
	_Alignas(8) char head[PLAN_HEAD_MAX] = PLAN_MAGIC;
	struct plan_header *header = (struct plan_header *)head;

	header->version = LE32(PLAN_VERSION);
	header->page_size = LE32(4096);
	header->rule = LE32(sizeof(*header));
	for (uint32_t size = ASKED_RULE_MAX - 1; size <= ASKED_RULE_MAX + 1; size++) {
		memset(header + 1, 'r', size - 1);
		head[sizeof(*header) + size - 1] = '\0';
		header->probes_end = LE32((uint32_t)sizeof(*header) + size);
		header->header_checksum = LE64(plan_head_checksum(head, LE32(header->probes_end)));
		assert_int_equal(plan_head_check(head, sizeof(head)), size <= ASKED_RULE_MAX);
	}
}

static void every_table_is_checked(void **state)
{
	POKE(probes[0].path, 0, PLAN_DAMAGED);
	POKE(probes[1].path, LE16(offsetof(struct sample, files)), PLAN_DAMAGED);
	POKE(probes[1].path, LE16(UINT16_MAX), PLAN_DAMAGED);
	POKE(probes[1].path, LE16(offsetof(struct sample, probe_paths) + 1), PLAN_DAMAGED);
	POKE(probes[0].reserved, LE16(1), PLAN_DAMAGED);
	POKE(probes[0].page, LE32(UINT32_MAX), PLAN_GOOD);
	POKE(probe_paths[15], 'x', PLAN_DAMAGED);
	POKE(files[1].kind, LE32(PLAN_SYMLINK + 1), PLAN_DAMAGED);
	POKE(files[1].kind, LE32(PLAN_DIRECTORY), PLAN_DAMAGED);
	POKE(files[1].path, LE32(sizeof((struct sample){0}.strings)), PLAN_DAMAGED);
	POKE(files[1].path, LE32(17), PLAN_DAMAGED);
	POKE(files[1].size, LE64(40960), PLAN_DAMAGED);
	POKE(files[1].size, LE64(UINT64_MAX), PLAN_GOOD);
	POKE(extents[0].file, LE32(2), PLAN_DAMAGED);
	POKE(extents[0].file, 0, PLAN_DAMAGED);
	POKE(extents[0].page, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(extents[0].pages, 0, PLAN_DAMAGED);
	POKE(extents[0].pages, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(extents[1].pages, LE32(2), PLAN_DAMAGED);
	POKE(extents[0].gap, LE32(5), PLAN_DAMAGED);
	POKE(extents[0].guessed, LE32(1), PLAN_GOOD);
	POKE(extents[0].guessed, LE32(2), PLAN_DAMAGED);
	POKE(file_systems[0].id, 0, PLAN_GOOD);
	POKE(file_systems[0].point, LE32(sizeof((struct sample){0}.strings)), PLAN_DAMAGED);
	POKE(file_systems[0].point, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(file_systems[0].point, LE32(9), PLAN_DAMAGED);
	POKE(file_systems[0].metadata_count, 0, PLAN_DAMAGED);
	POKE(file_systems[0].metadata_count, LE32(3), PLAN_DAMAGED);
	POKE(file_systems[1].metadata_count, 0, PLAN_DAMAGED);
	POKE(file_systems[1].metadata_count, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(metadata[0].page, LE32(101), PLAN_DAMAGED); /* overlaps the second */
	POKE(metadata[0].page, LE32(99), PLAN_GOOD);
	POKE(metadata[0].pages, 0, PLAN_DAMAGED);
	POKE(metadata[0].pages, LE32(9), PLAN_DAMAGED);
	POKE(metadata[0].gap, LE32(8), PLAN_DAMAGED);
	POKE(metadata[1].page, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(metadata[1].page, LE32(UINT32_MAX - 1), PLAN_GOOD);
	POKE(metadata[1].pages, LE32(UINT32_MAX), PLAN_DAMAGED);
	POKE(metadata[2].reserved, LE32(1), PLAN_DAMAGED);
	POKE(strings[31], 'x', PLAN_DAMAGED);
	POKE(strings[0], 'x', PLAN_DAMAGED);
}

static void the_sum_of_metadata_is_bounded(void **state)
{
	struct sample plan = sample();

	plan.metadata[1].pages = LE32(UINT32_MAX - 200);
	seal_plan(&plan, sizeof(plan));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_GOOD);
	plan.metadata[2].pages = LE32(200);
	seal_plan(&plan, sizeof(plan));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_DAMAGED);
}

/* Extents may overlap, but the sum of their bytes must not overflow. */
static void the_sum_of_pages_is_bounded(void **state)
{
	struct sample plan = sample();

	plan.files[1].size = LE64(UINT64_MAX);
	plan.extents[0].pages = LE32(UINT32_MAX - 1);
	seal_plan(&plan, sizeof(plan));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_GOOD);
	plan.extents[1].pages = LE32(2);
	seal_plan(&plan, sizeof(plan));
	assert_int_equal(check(&plan, sizeof(plan)), PLAN_DAMAGED);
}

static void assert_name(const char *path, const char *suffix, const char *expected)
{
	char name[PLAN_NAME_SIZE];

	memset(name, 'x', sizeof(name));
	plan_name(path, suffix, name);
	assert_string_equal(name, expected);
}

static void names_are_known(void **state)
{
	/* FNV-1a 64 by its specification: the offset basis for an empty text, af63dc4c8601ec8c for "a". */
	assert_name("", "", "_-cbf29ce484222325");
	assert_name("a", ".plan", "a-af63dc4c8601ec8c.plan");
	assert_name("a", ".much-too-long-a-suffix-to-have-it-all",
		"a-af63dc4c8601ec8c.much-too-long-a-suffix-to-have");
}

static void names_are_safe_and_distinct(void **state)
{
	static const char *const hostile[] = {"/bin/..", "/bin/.", "/bin/.hidden", "/bin/-rf", "/bin/a b",
		"/bin/a\nb", "/bin/\x1b[31m", "/bin/\xff\xfe", "/bin/", "/", "", "/bin/a/../b", "/bin/$(x)",
		"/bin/'\"*?"};
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+_.";
	const size_t n = sizeof(hostile) / sizeof(*hostile);
	char names[sizeof(hostile) / sizeof(*hostile)][PLAN_NAME_SIZE], path[5000];

	for (size_t i = 0; i < n; i++) {
		plan_name(hostile[i], ".profile", names[i]);
		assert_int_equal(strspn(names[i], plain), strlen(names[i]));
		assert_true(names[i][0] != '.' && names[i][0] != '-');
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(names[i], names[j]);
	}
	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	plan_name(path, ".thirty-one-bytes-of-a-suffix--", names[0]);
	assert_int_equal(strlen(names[0]), PLAN_NAME_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_plan_is_seen_whole),
		cmocka_unit_test(a_head_is_good_by_itself),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(every_changed_bit_is_noticed),
		cmocka_unit_test(every_field_of_the_header_is_checked),
		cmocka_unit_test(every_table_is_checked),
		cmocka_unit_test(a_rule_is_in_the_head_and_ends_with_it),
		cmocka_unit_test(a_plan_for_certain_starts_leads_to_no_other),
		cmocka_unit_test(a_rule_has_a_greatest_length),
		cmocka_unit_test(the_sum_of_pages_is_bounded),
		cmocka_unit_test(the_sum_of_metadata_is_bounded),
		cmocka_unit_test(names_are_known),
		cmocka_unit_test(names_are_safe_and_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
