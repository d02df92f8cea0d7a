/* SPDX-License-Identifier: MIT */
/* Cuts a profile to what follows an exec point. */
#include "profile/recordings/from-exec.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/copy.h"
#include "profile/functions.h"
#include "profile/metadata.h"

/* Adds the touches of the file from `start` on, or nothing if there are none. */
static int cut_file(struct profile *to, const struct profile_file *file, uint32_t start)
{
	struct profile_file *cut = NULL;
	uint32_t first = file->order >= start ? file->order : UINT32_MAX;
	int r = 0;

	for (size_t i = 0; r == 0 && i < file->n_ranges; i++) {
		struct profile_range range = file->ranges[i];
		uint32_t before = range.order < start ? start - range.order : 0;

		if (before >= range.pages)
			continue;
		if (!cut)
			r = profile_add_like(to, file, &cut);
		if (r < 0)
			return r;
		range.page += before;
		range.pages -= before;
		range.order += before;
		first = range.order < first ? range.order : first;
		range.order -= start;
		r = profile_file_add_range(cut, range);
	}
	if (r == 0 && !cut && first != UINT32_MAX)
		r = profile_add_like(to, file, &cut);
	if (cut)
		cut->order = first - start;
	return r;
}

static bool is_exec(const struct profile_exec *exec, const char *name)
{
	return streq(exec->path, name) || streq(strrchr(exec->path, '/') + 1, name);
}

ssize_t profile_find_exec(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_execs; i++)
		if (is_exec(&profile->execs[i], name))
			return (ssize_t)i;
	return -ENOENT;
}

/* The recording knows with which arguments it was started, but not with which ones it executed others. */
static int forget_what_was_asked(struct profile *cut)
{
	int r = profile_copy_text(&cut->command, cut->program);

	if (r == 0)
		r = profile_copy_text(&cut->folder, NULL);
	if (r == 0)
		r = profile_copy_text(&cut->rule, NULL);
	if (r == 0)
		r = profile_copy_text(&cut->asked_path, NULL);
	if (r == 0)
		r = profile_set_arguments(cut, (const char *[]){NULL});
	cut->asked = 0;
	return r;
}

int profile_from_exec(const struct profile *profile, size_t exec, struct profile *ret)
{
	_cleanup_(profile_releasep) struct profile cut = {0};
	uint32_t start;
	int r;

	if (exec >= profile->n_execs)
		return -EINVAL;
	start = profile->execs[exec].order;
	r = profile_copy_description(&cut, profile);
	if (r == 0)
		r = profile_copy_text(&cut.program, profile->execs[exec].path);
	if (r == 0 && exec > 0)
		r = forget_what_was_asked(&cut);
	cut.runs = profile->runs;
	cut.bias = profile->bias;
	cut.touches = profile->touches - start;
	for (size_t i = 0; r == 0 && i < profile->n_files; i++)
		r = cut_file(&cut, &profile->files[i], start);
	for (size_t i = exec; r == 0 && i < profile->n_execs; i++)
		r = profile_add_exec(&cut, profile->execs[i].path, profile->execs[i].order - start);
	if (r == 0)
		r = profile_add_metadata_of(&cut, profile); /* its order is not known */
	if (r == 0)
		r = profile_finish(&cut);
	if (r < 0)
		return r;
	*ret = cut;
	cut = (struct profile){0};
	return 0;
}
