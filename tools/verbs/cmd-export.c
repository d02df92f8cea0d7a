/* SPDX-License-Identifier: MIT */
/* headstart export: a profile as a list for another engine. */
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/strings.h"
#include "export/export.h"
#include "lib/files/input.h"
#include "lib/files/output.h"
#include "lib/options/values.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "replace/publish.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"

static const char help[] =
	"usage: headstart export --format FORMAT [OPTION…] PROFILE|PROGRAM\n"
	"Writes the files that a start touches as a list for another engine, in the order of their first\n"
	"touch.\n"
	"\n"
	"options:\n"
	"      --format FORMAT  estargz, nydus, soci, overlaybd or cvmfs (lists for images and repositories),\n"
	"                       mksquashfs (a file for -sort), vmtouch (a file for -0 -b), or ranges\n"
	"                       (offset, length and path of every touched part)\n"
	"      --root FOLDER    the root of the image lies at FOLDER: write only what lies in the image\n"
	"  -o, --output OUT     write to OUT, not to standard output, and print a summary\n"
	"      --json           print the summary as JSON; needs -o\n"
	"  -h, --help           print this\n";

#define FORMATS "use estargz, nydus, soci, overlaybd, cvmfs, mksquashfs, vmtouch or ranges"

struct export_arguments {
	enum export_format format; /* EXPORT_FORMATS: not given */
	const char *root;          /* NULL: none */
	const char *output;        /* NULL: standard output */
	bool json;
};

static int no_memory(void)
{
	return verb_fail_errno(ENOMEM, "cannot export the profile");
}

static int take_format(const char *verb, const char *value, void *to)
{
	for (enum export_format format = 0; format < EXPORT_FORMATS; format++)
		if (streq(export_format_name(format), value)) {
			*(enum export_format *)to = format;
			return 0;
		}
	return verb_usage(verb, "unknown format '%s': " FORMATS, value);
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct export_arguments *arguments)
{
	const struct option_row options[] = {
		{"format", .take = take_format, .to = &arguments->format},
		{"root", .take = option_take_absolute, .to = &arguments->root},
		{"output", 'o', .text = &arguments->output},
		{"json", .flag = &arguments->json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (arguments->format == EXPORT_FORMATS)
		return verb_usage("export", "no format given: " FORMATS);
	if (arguments->json && !arguments->output)
		return verb_usage("export", "--json needs -o");
	if (argc - optind != 1)
		return argc == optind ? verb_usage("export", "no profile given")
				      : verb_usage("export", "unexpected argument '%s'", argv[optind + 1]);
	return -1;
}

/*
 * The root as paths of profiles have it, which are canonical; the caller frees it. It need not exist, because a profile may come
 * from another machine. The root of this machine is no root: *ret is NULL then. Returns 0 or -ENOMEM.
 */
static int canonical_root(const char *root, char **ret)
{
	char *path = root ? realpath(root, NULL) : NULL;
	size_t length;

	if (root && !path)
		path = strdup(root);
	if (root && !path)
		return -ENOMEM;
	length = path ? strlen(path) : 0;
	while (length > 0 && path[length - 1] == '/')
		path[--length] = '\0';
	if (length == 0) {
		free(path);
		path = NULL;
	}
	*ret = path;
	return 0;
}

/* How many files are left out for that reason; the first of them, or NULL. */
static size_t count_losses(const struct export_list *list, enum export_loss why, const char **ret_first)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < list->n_left_out; i++) {
		if (list->left_out[i].why != why)
			continue;
		if (n++ == 0)
			first = list->left_out[i].path;
	}
	*ret_first = first;
	return n;
}

static void say_loss(const struct export_list *list, enum export_loss why)
{
	static const char *const because[][2] = {
		[EXPORT_UNNAMED] = {"hold this path", "hold these paths"},
		[EXPORT_BEYOND] = {"be longer", "be longer"},
	};
	const char *format = export_format_name(list->format), *first;
	size_t n = count_losses(list, why, &first);

	if (n == 1)
		verb_note("'%s' is left out: %s lists cannot %s", first, format, because[why][0]);
	else if (n > 1)
		verb_note("'%s' and %zu more are left out: %s lists cannot %s", first, n - 1, format,
			because[why][1]);
}

/* Says which files are missing in the list, and why. */
static void say_losses(const struct export_list *list)
{
	if (list->outside > 0)
		verb_note("left out %zu file%s that the start touched outside of the image", list->outside,
			plural(list->outside));
	say_loss(list, EXPORT_UNNAMED);
	say_loss(list, EXPORT_BEYOND);
}

static int print_result(const struct export_arguments *arguments, const struct export_list *list)
{
	struct json_object *json = json_object_new_object(), *left_out = json_object_new_array();

	for (size_t i = 0; i < list->n_left_out; i++)
		json_object_array_add(left_out, json_text(list->left_out[i].path));
	json_object_object_add(json, "format", json_object_new_string(export_format_name(list->format)));
	json_object_object_add(json, "output", json_text(arguments->output));
	json_object_object_add(json, "files", json_object_new_uint64(list->n_entries));
	json_object_object_add(json, "bytes", json_object_new_uint64(export_list_bytes(list)));
	json_object_object_add(json, "outside", json_object_new_uint64(list->outside));
	json_object_object_add(json, "left_out", left_out);
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static int print_text(const struct export_arguments *arguments, const struct export_list *list)
{
	char bytes[WORDS_MAX], files[WORDS_MAX];

	printf("files    %s, of which the start touches %s\n", words_count(list->n_entries, files),
		words_bytes(export_list_bytes(list), bytes));
	page_line("list     ", arguments->output, "");
	return 0;
}

static int publish(
	const struct export_arguments *arguments, const struct export_list *list, char *text, size_t size)
{
	int r;

	if (!arguments->output) {
		page_lines(text, size);
		return verb_flush();
	}
	r = output_check(arguments->output);
	if (r)
		return r;
	r = publish_file(arguments->output, output_mode(), text, size);
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", arguments->output);
	return arguments->json ? print_result(arguments, list) : print_text(arguments, list);
}

static int write_list(const struct export_arguments *arguments, const struct export_list *list)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r;

	if (!out)
		return no_memory();
	r = export_write(out, list);
	if (fclose(out) != 0 || r < 0)
		return no_memory();
	return publish(arguments, list, text, size);
}

int cmd_export(int argc, char **argv)
{
	struct export_arguments arguments = {.format = EXPORT_FORMATS};
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_(export_list_releasep) struct export_list list = {0};
	_cleanup_free_ char *root = NULL;
	int status = parse_arguments(argc, argv, &arguments);

	if (status >= 0)
		return status;
	status = input_profile(argv[optind], &profile);
	if (status)
		return status;
	if (canonical_root(arguments.root, &root) < 0 ||
		export_list_build(&profile, arguments.format, root, &list) < 0)
		return no_memory();
	if (list.n_entries == 0 && list.n_left_out == 0)
		return verb_fail(list.outside > 0 ? "the start of '%s' touched no file of the image"
						  : "the start of '%s' touched no file",
			profile.program);
	status = list.n_entries > 0 ? write_list(&arguments, &list) : 0;
	if (status == 0)
		say_losses(&list);
	return status == 0 && list.n_left_out > 0 ? VERB_FAILED : status;
}
