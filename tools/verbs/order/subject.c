/* SPDX-License-Identifier: MIT */
/* An ELF file of the profile, and which of its functions the start touched. */
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "lib/files/input.h"
#include "order/match.h"
#include "profile/updates/staleness.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/order/order.h"

void order_subject_release(struct subject *subject)
{
	order_list_release(&subject->list);
	order_touched_release(&subject->touched);
	order_image_release(&subject->image);
}

static void subject_releasep(struct subject *subject)
{
	order_subject_release(subject);
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
			"'%s' is stripped: it has no symbols of functions, and there is no debug file beside "
			"it, under '%s' or in the cache of debuginfod; give the unstripped build",
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

/* Functions that were called say more than the pages that they lie on. */
static int take_touches(
	const struct profile *profile, const struct profile_file *file, struct subject *subject)
{
	const struct profile_object *calls = profile_functions_of(profile->functions, file);

	subject->called = calls;
	if (calls)
		return order_touched_calls(&subject->touched, calls, profile->page_size, &subject->image);
	return order_touched_pages(&subject->touched, file, profile->page_size, &subject->image);
}

int order_subject_take(const struct profile *profile, const char *path,
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
	if (take_touches(profile, file, subject) < 0 ||
		order_choose(&subject->image, &subject->touched, &subject->list) < 0)
		return order_no_memory();
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
	status = order_subject_take(&profile, file ? file->path : profile.program, arguments, &other);
	if (status)
		return status;
	if (order_narrow(&subject->list, &other.list) < 0)
		return order_no_memory();
	if (subject->list.n == 0)
		return verb_fail("the start in '%s' touched no function of '%s' that the others touched",
			profile_path, subject->path);
	return 0;
}

int order_subject_finish(struct subject *subject, const struct order_arguments *arguments)
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
		return order_no_memory();
	return 0;
}
