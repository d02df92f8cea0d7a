/* SPDX-License-Identifier: MIT */
#include "place/planned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "format/plan-view.h"
#include "format/state-folder.h"
#include "plan/store/each.h"
#include "plan/store/load.h"

void place_programs_release(struct place_programs *programs)
{
	for (size_t i = 0; i < programs->n; i++)
		free(programs->items[i]);
	free(programs->items);
	*programs = (struct place_programs){0};
}

static int add_program(struct place_programs *programs, const char *program)
{
	char *copy;

	for (size_t i = 0; i < programs->n; i++)
		if (streq(programs->items[i], program))
			return 0;
	if (ARRAY_RESERVE(programs->items, programs->capacity, programs->n + 1) < 0)
		return -ENOMEM;
	copy = strdup(program);
	if (!copy)
		return -ENOMEM;
	programs->items[programs->n++] = copy;
	return 0;
}

/* Whether the plan names a file of the record: 1, 0 or -ENOMEM. */
static int names_placed(const struct plan_view *plan, const struct place_record *record)
{
	for (uint32_t i = 0; i < plan->file_count; i++) {
		struct placed_file *file;
		int r = place_record_find(record, plan_file_path(plan, i), &file);

		if (r < 0 || file)
			return r < 0 ? r : 1;
	}
	return 0;
}

struct search {
	const struct place_record *record;
	struct place_programs *programs;
};

/* A link is the sign of a plan that has its own name in the folder, and a damaged plan is compiled anew anyway. */
static int look_at(void *context, const char *path)
{
	const struct search *search = context;
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	struct stat st;
	int r;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	r = plan_load_path(path, &plan, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	if (plan_is_snapshot(&plan.view))
		return 0;
	r = names_placed(&plan.view, search->record);
	return r > 0 ? add_program(search->programs, plan_program(&plan.view)) : r;
}

int place_find_planned(const char *folder, const struct place_record *record, struct place_programs *ret)
{
	return store_each(folder, STATE_PLAN_SUFFIX, look_at, &(struct search){record, ret});
}
