/* SPDX-License-Identifier: MIT */
/* headstart import: a profile of which functions ran, from what valgrind's callgrind has written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/plural.h"
#include "lib/files/output.h"
#include "lib/options/options.h"
#include "order/callgrind.h"
#include "profile/file/profile-file.h"
#include "profile/updates/staleness.h"
#include "record/profiles/describe.h"
#include "report/words.h"
#include "verb.h"

#define TEXT_MAX (1u << 30) /* bytes */

static const char help[] =
	"usage: headstart import -o OUT [OPTION…] FILE\n"
	"Makes a profile of the functions that FILE names. 'valgrind --tool=callgrind --demangle=no' writes\n"
	"such a FILE. 'headstart order' makes an ordering file for a linker of the profile.\n"
	"\n"
	"options:\n"
	"  -o, --output OUT        the profile to write\n"
	"      --debug-dir FOLDER  look for debug files below FOLDER, not /usr/lib/debug\n"
	"  -h, --help              print this\n";

static int read_callgrind(const char *path, struct callgrind *ret)
{
	char *text;
	size_t size, line;
	int r = read_file(path, TEXT_MAX, &text, &size);

	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	r = callgrind_parse(text, ret, &line);
	if (r == -EBADMSG && size == 0)
		return verb_fail("'%s' is empty: did valgrind end?", path);
	if (r == -EBADMSG)
		return verb_fail("'%s' is not what callgrind writes: see line %zu", path, line);
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", path) : 0;
}

/* The files whose functions ran. They have no pages: callgrind does not know them. */
static int add_files(struct profile *profile)
{
	for (size_t i = 0; i < profile->functions->n_objects; i++) {
		size_t index;
		int r = profile_add_file(
			profile, profile->functions->objects[i].path, PROFILE_REGULAR, &index);

		if (r == 0)
			r = profile_file_identify(&profile->files[index]);
		if (r < 0)
			return r;
		profile->files[index].order = (uint32_t)index;
	}
	return 0;
}

static int describe(struct profile *profile, const char *program, const char *command)
{
	int r = record_describe(profile, NULL, program, "exit");

	if (r < 0)
		return r;
	free(profile->command);
	profile->command = strdup(command);
	profile->backend = PROFILE_BACKEND_CALLGRIND;
	r = profile->command ? add_files(profile) : -ENOMEM;
	return r < 0 ? r : profile_finish(profile);
}

static void print_summary(const struct profile *profile, const struct callgrind_summary *summary)
{
	char calls[WORDS_MAX];

	if (summary->unread > 0)
		verb_note(
			"%zu file%s without symbols of functions that can be read %s left out, such as '%s'",
			summary->unread, plural(summary->unread), plural_of(summary->unread, "was", "were"),
			summary->first_unread);
	if (summary->unknown > 0)
		verb_note("%zu function%s no symbol: were they written with --demangle=no?", summary->unknown,
			plural_of(summary->unknown, " has", "s have"));
	verb_note("%s function%s of %zu file%s w%s called", words_count(profile->functions->n_calls, calls),
		plural(profile->functions->n_calls), profile->functions->n_objects,
		plural(profile->functions->n_objects), plural_of(profile->functions->n_calls, "as", "ere"));
}

static int import(const char *path, const char *out, const char *debug_folder)
{
	_cleanup_(callgrind_releasep) struct callgrind callgrind = {0};
	_cleanup_(profile_releasep) struct profile profile = {0};
	struct callgrind_summary summary;
	const char *program;
	int r = output_check(out);

	if (r == 0)
		r = read_callgrind(path, &callgrind);
	if (r)
		return r;
	if (geteuid() == 0)
		output_tells_of(path); /* as of profiles (lib/files/input.c) */
	profile.functions = calloc(1, sizeof(*profile.functions));
	r = profile.functions
		? callgrind_functions(&callgrind, debug_folder, profile.functions, &program, &summary)
		: -ENOMEM;
	if (r < 0)
		return verb_fail_errno(r, "cannot import '%s'", path);
	if (profile.functions->n_calls == 0)
		return verb_fail("'%s' names no function that its files have symbols of", path);
	r = describe(&profile, program ? program : profile.functions->objects[0].path, callgrind.command);
	if (r == 0)
		r = profile_save(&profile, out, output_mode());
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", out);
	print_summary(&profile, &summary);
	return 0;
}

int cmd_import(int argc, char **argv)
{
	const char *out = NULL, *debug_folder = NULL;
	const struct option_row options[] = {
		{"output", 'o', .text = &out},
		{"debug-dir", .text = &debug_folder},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (debug_folder && debug_folder[0] != '/')
		return verb_usage("import", "'%s' is not an absolute path", debug_folder);
	if (!out)
		return verb_usage("import", "no output given: use -o OUT");
	if (argc - optind != 1)
		return verb_usage("import", "give one FILE that callgrind has written");
	return import(argv[optind], out, debug_folder);
}
