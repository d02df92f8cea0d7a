/* SPDX-License-Identifier: MIT */
/* headstart merge: several recordings of one program into one profile. */

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/files/input.h"
#include "lib/files/output.h"
#include "lib/options/options.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/merge.h"
#include "verb.h"

static const char help[] =
	"usage: headstart merge -o OUT PROFILE…\n"
	"Merges profiles of one program. The result has all their pages, and says for each how many starts\n"
	"touched it.\n"
	"\n"
	"options:\n"
	"  -o, --output OUT  the profile to write; may be one of those merged\n"
	"  -h, --help        print this\n";

static int merge_one(struct profile *merged, const char *path)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	int r = input_profile(path, &profile);

	if (r != 0)
		return r;
	if (!streq(profile.program, merged->program))
		return verb_fail(
			"'%s' is a profile of '%s', not of '%s'", path, profile.program, merged->program);
	if (profile.page_size != merged->page_size)
		return verb_fail(
			"'%s' was recorded with pages of %u bytes, the profiles before it with pages of %u",
			path, profile.page_size, merged->page_size);
	r = profile_merge(merged, &profile);
	return r < 0 ? verb_fail_errno(r, "cannot merge '%s'", path) : 0;
}

static int merge(const char *out, char **paths)
{
	_cleanup_(profile_releasep) struct profile merged = {0};
	int r = output_check(out);

	if (r == 0)
		r = input_profile(*paths++, &merged);
	while (r == 0 && *paths)
		r = merge_one(&merged, *paths++);
	if (r != 0)
		return r;
	r = profile_save(&merged, out, output_mode());
	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", out) : 0;
}

int cmd_merge(int argc, char **argv)
{
	const char *out = NULL;
	const struct option_row options[] = {{"output", 'o', .text = &out}, {0}};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (!out)
		return verb_usage("merge", "no output given: use -o OUT");
	if (optind == argc)
		return verb_usage("merge", "no profile given");
	return merge(out, argv + optind);
}
