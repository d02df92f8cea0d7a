/* SPDX-License-Identifier: MIT */
#include "drafts.h"

#include "base/array.h"

const struct test_file two_files[] = {
	{"/lib/a", PROFILE_REGULAR, 20, 0}, {"/lib/b", PROFILE_REGULAR, 10, 0}, {0}};
const struct profile drafts_profile = {.page_size = PAGE, .program = (char *)"/bin/app"};
struct profile_file drafts_sources[32];

static struct profile_range some_range = {0, 1, 0, 1};

void add_device(struct plan_draft *draft, enum device_class class)
{
	assert_int_equal(ARRAY_RESERVE(draft->devices, draft->devices_capacity, draft->n_devices + 1), 0);
	draft->devices[draft->n_devices] =
		(struct draft_device){.number = draft->n_devices, .device.class = class};
	draft->n_devices++;
}

struct plan_draft make_draft(enum device_class class, const struct test_file *files)
{
	struct plan_draft draft = {.profile = &drafts_profile, .device = class};

	add_device(&draft, class);
	for (size_t i = 0; files[i].path; i++) {
		struct profile_file *source = &drafts_sources[i];

		*source = (struct profile_file){.path = (char *)files[i].path, .kind = files[i].kind};
		if (files[i].kind == PROFILE_REGULAR) {
			source->ranges = &some_range;
			source->n_ranges = 1;
		}
		assert_int_equal(ARRAY_RESERVE(draft.files, draft.files_capacity, i + 1), 0);
		draft.files[draft.n_files++] = (struct draft_file){
			.source = source,
			.inode = files[i].inode,
			.device = files[i].device,
			.public = true,
		};
	}
	return draft;
}

void add_extent(struct plan_draft *draft, struct draft_extent extent)
{
	assert_int_equal(ARRAY_RESERVE(draft->extents, draft->extents_capacity, draft->n_extents + 1), 0);
	draft->extents[draft->n_extents++] = extent;
	draft->files[extent.file].pages += extent.pages;
}

void touch(struct plan_draft *draft, uint32_t file, uint32_t page, uint32_t pages, uint32_t order)
{
	add_extent(draft, (struct draft_extent){file, page, pages, 0, order, 1, DRAFT_NOWHERE});
}

void expect_extent(const struct plan_draft *draft, size_t i, uint32_t file, uint32_t page, uint32_t pages,
	uint32_t gap, uint32_t order)
{
	assert_true(i < draft->n_extents);
	assert_int_equal(draft->extents[i].file, file);
	assert_int_equal(draft->extents[i].page, page);
	assert_int_equal(draft->extents[i].pages, pages);
	assert_int_equal(draft->extents[i].gap, gap);
	assert_int_equal(draft->extents[i].order, order);
}

struct plan_cost cost_of_class(enum device_class class)
{
	return plan_cost_of(&(struct device){.class = class});
}
