/* SPDX-License-Identifier: MIT */
/* headstart order: turns a profile into an ordering file for a linker. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/files/input.h"
#include "lib/files/output.h"
#include "lib/options/values.h"
#include "lib/print/page-style.h"
#include "replace/publish.h"
#include "verb.h"
#include "verbs/order/order.h"

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
	"      --debug-dir FOLDER  look for debug files below FOLDER, not /usr/lib/debug\n"
	"      --json              print the summary as JSON; needs -o\n"
	"  -h, --help              print this\n";

static void subjects_releasep(struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->n; i++)
		order_subject_release(&subjects->items[i]);
	free(subjects->items);
}

static void arguments_releasep(struct order_arguments *arguments)
{
	free(arguments->narrow);
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
		return order_no_memory();
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

static int publish(const struct order_arguments *arguments, const struct subjects *subjects, char *text,
	size_t size, size_t left_out)
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
	return order_report(arguments, subjects, left_out);
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
		return order_no_memory();
	r = order_write(out, arguments->linker, &all, &left_out);
	if (fclose(out) != 0 || r < 0)
		return order_no_memory();
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
		return order_no_memory();
	subjects.n = n_files > 0 ? n_files : 1;
	for (size_t i = 0; i < subjects.n && status == 0; i++) {
		status = order_subject_take(&profile,
			n_files > 0 ? argv[optind + 1 + (int)i] : profile.program, &arguments,
			&subjects.items[i]);
		if (status == 0)
			status = order_subject_finish(&subjects.items[i], &arguments);
	}
	return status ? status : write_order(&arguments, &subjects);
}
