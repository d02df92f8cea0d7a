/* SPDX-License-Identifier: MIT */
/* headstart order: turns a profile into an ordering file for a linker. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/input.h"
#include "lib/option-values.h"
#include "lib/output.h"
#include "lib/page-style.h"
#include "lib/print-json.h"
#include "order/choose.h"
#include "order/match.h"
#include "order/write.h"
#include "replace/publish.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"

static const char help[] =
	"usage: headstart order --for LINKER [OPTION…] PROFILE [FILE…]\n"
	"Writes the functions of FILE that the start touched as an ordering file for a linker, in the order\n"
	"of their first touch. FILE is an ELF file of the profile that is not stripped; the default is the\n"
	"profile's program.\n"
	"\n"
	"options:\n"
	"      --for LINKER        lld, gold, ld (GNU ld 2.43 or later), ld-script (any GNU ld) or mold\n"
	"  -o, --output OUT        write to OUT, not to standard output, and print a summary\n"
	"      --narrow PROFILE    leave out what is not touched in PROFILE, a recording of the program\n"
	"                          linked in another order; may be repeated\n"
	"      --debug-dir FOLDER  look for separate debug files under FOLDER, not /usr/lib/debug\n"
	"      --json              print the summary as JSON; needs -o\n"
	"  -h, --help              print this\n";

struct order_arguments {
	enum order_linker linker; /* ORDER_LINKERS: not given */
	const char *output;       /* NULL: standard output */
	const char *debug_folder; /* NULL: the default */
	const char **narrow;      /* owned; paths of profiles */
	size_t n_narrow, narrow_capacity;
	bool json;
};

/* An ELF file of the profile, and what we take from it. */
struct subject {
	const char *path;
	const char *recorded; /* its path in the profile; borrowed */
	struct order_image image;
	struct order_touched touched;
	struct order_list list;
	struct order_summary summary;
};

struct subjects {
	struct subject *items; /* owned */
	size_t n;
};

static void subject_release(struct subject *subject)
{
	order_list_release(&subject->list);
	order_touched_release(&subject->touched);
	order_image_release(&subject->image);
}

static void subject_releasep(struct subject *subject)
{
	subject_release(subject);
}

static void subjects_releasep(struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->n; i++)
		subject_release(&subjects->items[i]);
	free(subjects->items);
}

static void arguments_releasep(struct order_arguments *arguments)
{
	free(arguments->narrow);
}

static int no_memory(void)
{
	return verb_fail_errno(ENOMEM, "cannot order functions");
}

static int take_linker(const char *verb, const char *value, void *to)
{
	for (enum order_linker linker = 0; linker < ORDER_LINKERS; linker++)
		if (streq(order_linker_name(linker), value)) {
			*(enum order_linker *)to = linker;
			return 0;
		}
	return verb_usage(verb, "unknown linker '%s': use lld, gold, ld, ld-script or mold", value);
}

static int take_narrow(const char *verb, const char *value, void *to)
{
	struct order_arguments *arguments = to;

	if (ARRAY_RESERVE(arguments->narrow, arguments->narrow_capacity, arguments->n_narrow + 1) < 0)
		return no_memory();
	arguments->narrow[arguments->n_narrow++] = value;
	return 0;
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct order_arguments *arguments)
{
	const struct option_row options[] = {
		{"for", .take = take_linker, .to = &arguments->linker},
		{"output", 'o', .text = &arguments->output},
		{"narrow", .take = take_narrow, .to = arguments},
		{"debug-dir", .take = option_take_absolute, .to = &arguments->debug_folder},
		{"json", .flag = &arguments->json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (arguments->linker == ORDER_LINKERS)
		return verb_usage(
			"order", "no linker given: use --for with lld, gold, ld, ld-script or mold");
	if (arguments->json && !arguments->output)
		return verb_usage("order", "--json needs -o");
	if (optind == argc)
		return verb_usage("order", "no profile given");
	if (arguments->n_narrow > 0 && argc - optind > 2)
		return verb_usage("order", "--narrow takes only one FILE");
	return -1;
}

static int stale(const char *path, const struct profile_file *found, const struct profile_file *recorded)
{
	char is[2 * PROFILE_BUILD_ID_MAX + 1], was[2 * PROFILE_BUILD_ID_MAX + 1];

	if (found->build_id_size == 0 && recorded->build_id_size == 0)
		return verb_fail(
			"'%s' is not the '%s' that was recorded: the sizes differ, and neither has a "
			"build-id",
			path, recorded->path);
	return verb_fail("'%s' is not the build of '%s' that was recorded: its build-id is %s, not %s", path,
		recorded->path, words_build_id(found, PROFILE_BUILD_ID_MAX, is),
		words_build_id(recorded, PROFILE_BUILD_ID_MAX, was));
}

/* Finds the file in the profile. Returns 0, or an exit status after printing the reason. */
static int find_file(const struct profile *profile, const char *path, const struct profile_file **ret)
{
	struct profile_file found = {0};
	enum order_match match;
	size_t file;
	int r = order_match(profile, path, &found, &match, &file);

	if (r == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	if (match == ORDER_MATCH_UNKNOWN)
		return verb_fail("the profile of '%s' has no file '%s': its start did not touch it",
			profile->program, path);
	if (match == ORDER_MATCH_STALE)
		return stale(path, &found, &profile->files[file]);
	*ret = &profile->files[file];
	return 0;
}

static int read_image(const char *path, const struct order_arguments *arguments, struct order_image *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *problem = NULL;
	int r;

	if (fd < 0)
		return verb_fail_errno(errno, "cannot read '%s'", path);
	r = order_image_read(fd, arguments->debug_folder, ret, &problem);
	if (r == -ENOEXEC)
		return verb_fail("'%s' %s", path, problem);
	if (r == -ENODATA)
		return verb_fail(
			"'%s' is stripped: it has no symbols of functions, and there is no debug file for "
			"it under '%s'; give the unstripped build",
			path, arguments->debug_folder ? arguments->debug_folder : "/usr/lib/debug");
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", path) : 0;
}

/*
 * The profile's pages are those of the recorded file. If that file still exists, it says what lies on them: FILE may be
 * of the same build but laid out differently, since one of the two may be stripped or relaid.
 */
static int take_recorded_layout(const struct profile_file *recorded, struct order_image *image)
{
	_cleanup_close_ int fd = -1;
	const char *problem = NULL;
	int r;

	if (profile_file_staleness(recorded, 0) != PROFILE_FRESH)
		return 0;
	fd = open(recorded->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return verb_fail_errno(errno, "cannot read '%s'", recorded->path);
	r = order_image_take_segments(image, fd, &problem);
	if (r == -ENOEXEC)
		return verb_fail("'%s' %s", recorded->path, problem);
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", recorded->path) : 0;
}

/* Fills in all but the summary of a subject. Returns 0, or an exit status after printing the reason. */
static int take_subject(const struct profile *profile, const char *path,
	const struct order_arguments *arguments, struct subject *subject)
{
	const struct profile_file *file = NULL;
	int status;

	subject->path = path;
	status = find_file(profile, path, &file);
	if (status == 0)
		status = read_image(path, arguments, &subject->image);
	if (status == 0)
		status = take_recorded_layout(file, &subject->image);
	if (status)
		return status;
	subject->recorded = file->path;
	if (order_touched_pages(&subject->touched, file, profile->page_size, &subject->image) < 0 ||
		order_choose(&subject->image, &subject->touched, &subject->list) < 0)
		return no_memory();
	return 0;
}

/*
 * Keeps the functions that the start in another profile touched too, in its file of the same name, else in its program.
 */
static int narrow(struct subject *subject, const char *profile_path, const struct order_arguments *arguments)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_(subject_releasep) struct subject other = {0};
	const struct profile_file *file;
	int status = input_profile(profile_path, &profile);

	if (status)
		return status;
	file = order_match_name(&profile, subject->recorded);
	status = take_subject(&profile, file ? file->path : profile.program, arguments, &other);
	if (status)
		return status;
	if (order_narrow(&subject->list, &other.list) < 0)
		return no_memory();
	if (subject->list.n == 0)
		return verb_fail("the start in '%s' touched no function of '%s' that the others touched",
			profile_path, subject->path);
	return 0;
}

static int finish_subject(struct subject *subject, const struct order_arguments *arguments)
{
	if (subject->list.n == 0)
		return verb_fail(
			"the start touched no function of '%s' that is in its symbol table", subject->path);
	for (size_t i = 0; i < arguments->n_narrow; i++) {
		int status = narrow(subject, arguments->narrow[i], arguments);

		if (status)
			return status;
	}
	if (order_summarize(&subject->list, &subject->image, &subject->touched, &subject->summary) < 0)
		return no_memory();
	return 0;
}

static struct json_object *subject_json(const struct subject *subject)
{
	static const char *const symbols[] = {[ORDER_SYMTAB] = "symtab", [ORDER_DEBUG_FILE] = "debug file"};
	const struct order_summary *summary = &subject->summary;
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "path", json_text(subject->path));
	json_object_object_add(json, "symbols", json_object_new_string(symbols[subject->image.symbols]));
	json_object_object_add(json, "functions", json_object_new_uint64(summary->functions));
	json_object_object_add(json, "namesakes", json_object_new_uint64(summary->namesakes));
	json_object_object_add(json, "bytes", json_object_new_uint64(summary->bytes));
	json_object_object_add(json, "pages_before", json_object_new_uint64(summary->pages_before));
	json_object_object_add(json, "runs_before", json_object_new_uint64(summary->runs_before));
	json_object_object_add(json, "pages_after", json_object_new_uint64(summary->pages_after));
	json_object_object_add(json, "runs_after", json_object_new_uint64(summary->runs_after));
	return json;
}

static int print_result(
	const struct order_arguments *arguments, const struct subjects *subjects, size_t left_out)
{
	struct json_object *json = json_object_new_object(), *files = json_object_new_array();

	for (size_t i = 0; i < subjects->n; i++)
		json_object_array_add(files, subject_json(&subjects->items[i]));
	json_object_object_add(json, "for", json_object_new_string(order_linker_name(arguments->linker)));
	json_object_object_add(json, "basis", json_object_new_string("pages"));
	json_object_object_add(json, "profiles", json_object_new_uint64(arguments->n_narrow + 1));
	json_object_object_add(json, "output", json_text(arguments->output));
	json_object_object_add(json, "names_left_out", json_object_new_uint64(left_out));
	json_object_object_add(json, "files", files);
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static void print_subject(const struct subject *subject)
{
	const struct order_summary *summary = &subject->summary;
	char functions[WORDS_MAX], bytes[WORDS_MAX], namesakes[WORDS_MAX], pages[2][WORDS_MAX],
		runs[2][WORDS_MAX];

	page_line("file       ", subject->path, "");
	printf("functions  %s, and %s of the same names; %s\n", words_count(summary->functions, functions),
		words_count(summary->namesakes, namesakes), words_bytes(summary->bytes, bytes));
	printf("before     %s touched pages of code in %s runs\n",
		words_count(summary->pages_before, pages[0]), words_count(summary->runs_before, runs[0]));
	printf("after      about %s in %s runs, by prediction\n", words_count(summary->pages_after, pages[1]),
		words_count(summary->runs_after, runs[1]));
}

static int print_text(
	const struct order_arguments *arguments, const struct subjects *subjects, size_t left_out)
{
	for (size_t i = 0; i < subjects->n; i++)
		print_subject(&subjects->items[i]);
	printf("order      %s\n", arguments->output);
	if (left_out > 0)
		printf("left out   %zu name%s that the syntax of %s cannot express\n", left_out,
			words_plural(left_out), order_linker_name(arguments->linker));
	return 0;
}

static int publish(const struct order_arguments *arguments, const struct subjects *subjects, const char *text,
	size_t size, size_t left_out)
{
	int r;

	if (!arguments->output) {
		if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0)
			return verb_fail_errno(errno, "cannot write to standard output");
		return 0;
	}
	r = output_check(arguments->output);
	if (r)
		return r;
	r = publish_file(arguments->output, 0644, text, size);
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", arguments->output);
	return arguments->json ? print_result(arguments, subjects, left_out)
			       : print_text(arguments, subjects, left_out);
}

static int write_order(const struct order_arguments *arguments, const struct subjects *subjects)
{
	_cleanup_(order_list_releasep) struct order_list all = {0};
	_cleanup_free_ char *text = NULL;
	size_t size, left_out;
	FILE *out;
	int r = 0;

	for (size_t i = 0; i < subjects->n && r == 0; i++)
		r = order_append(&all, &subjects->items[i].list);
	out = r == 0 ? open_memstream(&text, &size) : NULL;
	if (!out)
		return no_memory();
	r = order_write(out, arguments->linker, &all, &left_out);
	if (fclose(out) != 0 || r < 0)
		return no_memory();
	return publish(arguments, subjects, text, size, left_out);
}

int cmd_order(int argc, char **argv)
{
	_cleanup_(arguments_releasep) struct order_arguments arguments = {.linker = ORDER_LINKERS};
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_(subjects_releasep) struct subjects subjects = {0};
	int status = parse_arguments(argc, argv, &arguments);
	size_t n_files;

	if (status >= 0)
		return status;
	status = input_profile(argv[optind], &profile);
	if (status)
		return status;
	n_files = (size_t)(argc - optind - 1);
	subjects.items = calloc(n_files + 1, sizeof(*subjects.items));
	if (!subjects.items)
		return no_memory();
	subjects.n = n_files > 0 ? n_files : 1;
	for (size_t i = 0; i < subjects.n && status == 0; i++) {
		status = take_subject(&profile, n_files > 0 ? argv[optind + 1 + (int)i] : profile.program,
			&arguments, &subjects.items[i]);
		if (status == 0)
			status = finish_subject(&subjects.items[i], &arguments);
	}
	return status ? status : write_order(&arguments, &subjects);
}
