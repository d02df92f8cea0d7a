/* SPDX-License-Identifier: MIT */
/* setns(2), and then the steps by which every recording becomes a profile. */
#include "record/profiles/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/same-file.h"
#include "base/run/process.h"
#include "base/strings.h"
#include "profile/recordings/from-exec.h"
#include "profile/refine/refine.h"
#include "profile/updates/carry.h"
#include "record/names/resolve.h"
#include "record/profiles/assemble.h"

#define TIME_MAX_MS 60000 /* a file system in the sandbox may wait for its server */

/* Exit statuses of the child, above those that work() has. */
enum { INSIDE_NOTHING = 124, INSIDE_FAILED = 125 };

/* The mounts of the view whose files have to be looked for: nobody else has mounted them, and nothing serves them. */
static int walk_own_mounts(struct view *view, const struct record_trace *trace, const struct mounts *here)
{
	struct mounts own = {.items = calloc(view->mounts.count + 1, sizeof(*own.items))};
	int r;

	if (!own.items)
		return -ENOMEM;
	for (size_t i = 0; i < view->mounts.count; i++) {
		const struct mount *mount = &view->mounts.items[i];

		if (!mounts_has_device(here, mount->device) && !after_prefix(mount->type, "fuse"))
			own.items[own.count++] = *mount;
	}
	r = resolve_by_walking(&view->files, trace, &own);
	free(own.items);
	return r;
}

/* Whether the path leads to one and the same file in our own namespace, whose root `outside` is. */
static bool is_same_outside(int outside, const char *path)
{
	struct stat here, there;

	return stat(path, &here) == 0 && fstatat(outside, path + 1, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		same_file(&here, &there);
}

/* Makes the profile begin with the first program that exists inside alone. */
static int begin_inside(struct profile *profile, int outside)
{
	struct profile rest;
	size_t i = 0;
	int r;

	while (i < profile->n_execs && is_same_outside(outside, profile->execs[i].path))
		i++;
	if (i == profile->n_execs)
		return -ENOENT;
	r = profile_from_exec(profile, i, &rest);
	if (r < 0)
		return r;
	profile_release(profile);
	*profile = rest;
	return 0;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

static int copy_description(const struct profile *from, const char *program, struct profile *to)
{
	to->command = copy(from->command);
	to->program = copy(program);
	to->kernel = copy(from->kernel);
	to->device = copy(from->device);
	to->milestone = copy(from->milestone);
	to->recorded = from->recorded;
	to->page_size = from->page_size;
	to->runs = from->runs;
	to->backend = from->backend;
	to->bias = from->bias;
	return to->command && to->program && to->kernel && to->device && to->milestone ? 0 : -ENOMEM;
}

static int make_profile(struct view *view, struct record_trace *trace, const struct profile *description,
	const struct inside_options *options, struct profile *ret)
{
	struct assemble_summary summary;
	int r = walk_own_mounts(view, trace, options->here);

	if (r == 0)
		r = resolve_files(&view->files, trace, NULL);
	if (r == 0)
		r = resolve_programs(trace, &view->files, false);
	if (r == 0 && trace->n_execs == 0)
		r = -ENOENT;
	if (r == 0)
		r = copy_description(description, trace->execs[0].path, ret);
	if (r == 0)
		r = assemble(trace, &view->files, options->added_is_touch, ret, &summary);
	return r;
}

static int enter(const struct view *view, int outside)
{
	return outside < 0 || setns(view->namespace, CLONE_NEWNS) < 0 || chdir("/") < 0 ? -errno : 0;
}

static int child_main(struct view *view, struct record_trace *trace, const struct profile *description,
	const struct inside_options *options)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_close_ int outside = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = enter(view, outside);

	if (r == 0)
		r = make_profile(view, trace, description, options, &profile);
	if (r == 0)
		r = begin_inside(&profile, outside);
	if (r < 0)
		return r == -ENOENT ? INSIDE_NOTHING : INSIDE_FAILED;
	profile_clear_doubts(&profile);
	profile_identify(&profile);
	return options->work(options->context, &profile);
}

int inside_run(struct view *view, struct record_trace *trace, const struct profile *description,
	const struct inside_options *options)
{
	int status, r;
	pid_t child;

	if (!view->trusted || view->files.count == 0)
		return -ENOENT;
	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(child_main(view, trace, description, options));
	r = process_await(child, TIME_MAX_MS, &status);
	if (r < 0 || !WIFEXITED(status))
		return r < 0 ? r : -EINTR;
	switch (WEXITSTATUS(status)) {
	case INSIDE_NOTHING:
		return -ENOENT;
	case INSIDE_FAILED:
		return -EIO;
	default:
		return WEXITSTATUS(status);
	}
}
