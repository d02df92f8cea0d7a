/* SPDX-License-Identifier: MIT */
/* headstart explain: why a file, a page or a function is in the plan of a program, or is not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/plural.h"
#include "base/strings.h"
#include "lib/files/input.h"
#include "lib/options/options.h"
#include "lib/settings/plan-settings.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "profile/updates/staleness.h"
#include "verb.h"
#include "verbs/explain/explain.h"

static const char help[] =
	"usage: headstart explain [OPTION…] PROFILE|PROGRAM WHAT\n"
	"Says of a file, a page or a function which start touched it, when, and why it is in the program's\n"
	"plan or is not. WHAT is the path or the name of a file, that with :N for its page N, counted from 0,\n"
	"or the name of a function.\n"
	"\n"
	"options:\n"
	"      --plan FILE  look into this plan, not into those that are stored for the program\n"
	"      --json       print everything as one JSON object\n"
	"  -h, --help       print this\n";

struct explain_arguments {
	const char *plan; /* NULL: the stored ones */
	bool json;
};

static void explanation_releasep(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->n_plans; i++)
		loaded_plan_release(&explanation->plans[i].loaded);
	free(explanation->plans);
	if (explanation->has_image)
		order_image_release(&explanation->image);
	profile_release(&explanation->all);
	recordings_release(&explanation->recordings);
}

static int no_memory(void)
{
	return verb_fail_errno(ENOMEM, "cannot explain anything");
}

/* ---- plans ---- */

/* Adds the plan in a file. Returns 0, or an exit status after printing the reason. */
static int add_plan(struct explanation *explanation, const char *path)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan loaded = {0};
	enum plan_fault fault = PLAN_GOOD;
	struct stat st;
	int r = plan_load_path(path, &loaded, &fault);

	if (r == -EBADMSG)
		return verb_fail("'%s' %s", path, plan_fault_text(fault));
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	if (plan_is_snapshot(&loaded.view))
		return verb_fail("'%s' is a snapshot, not a plan of a program", path);
	if (ARRAY_RESERVE(explanation->plans, explanation->plans_capacity, explanation->n_plans + 1) < 0)
		return no_memory();
	explanation->plans[explanation->n_plans++] = (struct explained_plan){
		.key = LE64(loaded.view.header->asked),
		.shared = stat(path, &st) == 0 && st.st_uid == 0,
		.loaded = loaded,
	};
	loaded = (struct loaded_plan){0};
	return 0;
}

/* Adds the plan for the starts that asked for the same as a recording, from the first folder that has one. */
static int add_plan_of_key(struct explanation *explanation, const struct store *store, uint64_t key)
{
	char suffix[STATE_ASKED_SIZE];

	state_asked_suffix(key, suffix);
	for (unsigned n = 0; n < 2; n++) {
		_cleanup_free_ char *path = NULL;

		if (store_look_in(store, n, suffix, explanation->all.program, &path) == 0)
			return add_plan(explanation, path);
	}
	return 0;
}

static int add_stored_plans(struct explanation *explanation)
{
	_cleanup_free_ char *path = NULL;
	struct store store;
	int r = store_of_process(&store);

	if (r < 0 || store_look_up(&store, STORE_PLAN, explanation->all.program, &path) < 0)
		return 0;
	r = add_plan(explanation, path);
	for (size_t i = 0; i < explanation->recordings.n && r == 0; i++)
		if (explanation->recordings.items[i].asked != 0)
			r = add_plan_of_key(explanation, &store, explanation->recordings.items[i].asked);
	return r;
}

/* ---- what is asked about ---- */

/* Whether the text is a name, a colon and a page; *ret_name is the caller's. */
static bool split_page(const char *text, char **ret_name, uint64_t *ret_page)
{
	const char *colon = strrchr(text, ':');
	unsigned long long page;

	if (!colon || colon == text || !verb_parse_u64(colon + 1, &page) || page == EXPLAIN_NO_PAGE)
		return false;
	*ret_name = strndup(text, (size_t)(colon - text));
	*ret_page = page;
	return *ret_name != NULL;
}

/* Takes the symbols of a file that is as it was recorded. Returns whether it has any. */
static bool take_image(const struct profile_file *file, struct order_image *image)
{
	_cleanup_close_ int fd = -1;
	const char *problem;

	if (file->kind != PROFILE_REGULAR || profile_file_staleness(file, 1) != PROFILE_FRESH)
		return false;
	fd = open_regular(file->path, OPEN_NO_LINKS);
	return fd >= 0 && order_image_read(fd, NULL, image, &problem) == 0;
}

/* Counts the functions on touched pages, and the pages that they need. Without memory it leaves that out. */
static void count_code(struct explanation *explanation)
{
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	_cleanup_(order_list_releasep) struct order_list list = {0};

	if (order_touched_pages(
		    &touched, explanation->file, explanation->all.page_size, &explanation->image) < 0 ||
		order_choose(&explanation->image, &touched, &list) < 0 || list.n == 0)
		return;
	explanation->has_code =
		order_summarize(&list, &explanation->image, &touched, &explanation->code) == 0;
}

/* Fills in what is known of a file by its content. */
static void look_into_file(struct explanation *explanation)
{
	_cleanup_close_ int fd = -1;

	explanation->staleness = profile_file_staleness(explanation->file, 1);
	if (explanation->staleness != PROFILE_FRESH || explanation->file->kind != PROFILE_REGULAR)
		return;
	if (!explanation->has_image)
		explanation->has_image = take_image(explanation->file, &explanation->image);
	if (explanation->has_image)
		count_code(explanation);
	fd = open_regular(explanation->file->path, OPEN_NO_LINKS);
	if (fd >= 0)
		(void)explain_relocations(
			fd, explanation->file, explanation->all.page_size, &explanation->relocations);
}

/* Asks about a file and, unless it is EXPLAIN_NO_PAGE, a page of it. */
static bool ask_file(struct explanation *explanation, const char *name, uint64_t page)
{
	explanation->file = explain_find_file(&explanation->all, name);
	if (!explanation->file && name[0] != '/')
		return false;
	explanation->path = explanation->file ? explanation->file->path : name;
	explanation->page = explanation->last_page = page;
	if (explanation->file)
		look_into_file(explanation);
	return true;
}

/* Asks about the first function of that name in a file that a start touched; in the program before all others. */
static bool ask_symbol(struct explanation *explanation, const char *name)
{
	const struct profile *all = &explanation->all;
	const struct profile_file *program = explain_find_file(all, all->program);

	for (size_t i = 0; i <= all->n_files; i++) {
		const struct profile_file *file = i == 0 ? program : &all->files[i - 1];
		struct explain_place place;
		struct order_image image;

		if (!file || (i > 0 && file == program) || !take_image(file, &image))
			continue;
		if (explain_find_function(&image, name, 0, all->page_size, &place) == image.n_functions) {
			order_image_release(&image);
			continue;
		}
		explanation->image = image;
		explanation->has_image = true;
		explanation->file = file;
		explanation->path = file->path;
		explanation->symbol = name;
		explanation->page = place.first;
		explanation->last_page = place.last;
		look_into_file(explanation);
		return true;
	}
	return false;
}

/* Pages of the recorded file; those that a start touched beyond its end included. */
static uint64_t pages_of(const struct explanation *explanation)
{
	const struct profile_file *file = explanation->file;
	uint64_t page_size = explanation->all.page_size;
	uint64_t pages = file->size / page_size + (file->size % page_size != 0), end = 0;

	if (file->n_ranges > 0)
		end = (uint64_t)file->ranges[file->n_ranges - 1].page +
			file->ranges[file->n_ranges - 1].pages;
	return end > pages ? end : pages;
}

/* Returns 0, or an exit status after printing that the file has no such page. */
static int check_page(const struct explanation *explanation, uint64_t page)
{
	uint64_t pages = explanation->file ? pages_of(explanation) : UINT64_MAX;

	if (page < pages)
		return 0;
	return verb_fail("'%s' has no page %llu: it had %llu page%s when it was recorded", explanation->path,
		(unsigned long long)page, (unsigned long long)pages, plural(pages));
}

static int ask(struct explanation *explanation, const char *what, char **ret_name)
{
	uint64_t page;

	/* The name of a file may end as if a page were asked for. */
	if (!explain_find_file(&explanation->all, what) && split_page(what, ret_name, &page) &&
		ask_file(explanation, *ret_name, page))
		return check_page(explanation, page);
	if (ask_file(explanation, what, EXPLAIN_NO_PAGE) || ask_symbol(explanation, what))
		return 0;
	return verb_fail(
		"the profile of '%s' has no file '%s', and no file of it has such a function; give a path "
		"for a file that no start touched",
		explanation->all.program, what);
}

static int explain(const char *profile, const char *what, const struct explain_arguments *arguments)
{
	_cleanup_(explanation_releasep) struct explanation explanation = {0};
	_cleanup_free_ char *name = NULL;
	int r = input_recordings(profile, &explanation.recordings);

	if (r)
		return r;
	plan_find_keys(&explanation.recordings, false);
	if (recordings_merge(&explanation.recordings, &explanation.all) < 0)
		return verb_fail("'%s' %s", profile, profile_fault_text(PROFILE_DAMAGED));
	r = arguments->plan ? add_plan(&explanation, arguments->plan) : add_stored_plans(&explanation);
	if (r == 0)
		r = ask(&explanation, what, &name);
	if (r)
		return r;
	return arguments->json ? explanation_print_json(&explanation) : explanation_print_text(&explanation);
}

int cmd_explain(int argc, char **argv)
{
	struct explain_arguments arguments = {0};
	const struct option_row options[] = {
		{"plan", .text = &arguments.plan},
		{"json", .flag = &arguments.json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (argc == optind)
		return verb_usage("explain", "no profile given");
	if (argc - optind == 1)
		return verb_usage(
			"explain", "nothing to explain given: name a file, FILE:PAGE or a function");
	if (argc - optind > 2)
		return verb_usage("explain", "unexpected argument '%s'", argv[optind + 2]);
	return explain(argv[optind], argv[optind + 1], &arguments);
}
