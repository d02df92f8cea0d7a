/* SPDX-License-Identifier: MIT */
#include "boot/keep.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"
#include "boot/files.h"
#include "profile/edit.h"
#include "profile/file/profile-file.h"
#include "profile/metadata.h"
#include "profile/recordings/merge.h"
#include "replace/publish.h"

/* What is there already. A damaged file does not count, and is replaced; one of a newer version is left alone. */
static int load(const char *path, struct recordings *ret, bool *ret_damaged)
{
	_cleanup_close_ int fd = boot_open(path);
	_cleanup_free_ char *data = NULL;
	enum profile_fault fault;
	size_t size;
	int r;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd;
	r = read_to_end(fd, PROFILE_MAX_SIZE, &data, &size);
	if (r < 0 && r != -EFBIG)
		return r;
	fault = r < 0 ? PROFILE_FOREIGN : recordings_parse(data, size, ret);
	*ret_damaged = fault != PROFILE_GOOD;
	return fault == PROFILE_NEWER ? -EPROTO : 0;
}

/*
 * What reads ahead is not recorded, so metadata of file systems, which it has brought in, is missing in boots that were read ahead: the
 * recordings that stay take it over. If the kernel tells only what comes into memory, pages of files are missing, too.
 */
static int make_room(struct recordings *recordings)
{
	struct profile *oldest = recordings->items, *newest = oldest + recordings->n - 1;
	int r;

	if (newest->bias & PROFILE_BIAS_READAHEAD) {
		r = profile_merge(oldest, oldest + 1);
		recordings_remove(recordings, 1);
		return r;
	}
	r = profile_add_metadata_of(newest, oldest);
	profile_sort_metadata(newest);
	recordings_remove(recordings, 0);
	return r;
}

static int add(struct recordings *recordings, struct profile *recording, bool *ret_damaged)
{
	int r = recordings_add(recordings, recording);

	if (r == -EINVAL) { /* of a program, or of another page size */
		*ret_damaged = true;
		recordings_release(recordings);
		r = recordings_add(recordings, recording);
	}
	while (r == 0 && recordings->n > BOOT_RECORDINGS)
		r = make_room(recordings);
	return r;
}

/* Whoever mounts that may need services that wait for us. */
static int needs_no_automounter(void *points, struct profile_file *file)
{
	return !mountinfo_is_below(points, file->path);
}

static int leave_out_automounts(struct profile *boots)
{
	_cleanup_free_ char *points = NULL;
	int r = mountinfo_points(mountinfo_is_automount, &points);

	return r < 0 ? r : profile_keep_files(boots, needs_no_automounter, points);
}

static int compile(const struct recordings *recordings, const char *path, const struct plan_options *options,
	struct plan_summary *ret_summary)
{
	_cleanup_(profile_releasep) struct profile all = {0};
	_cleanup_free_ void *data = NULL;
	struct plan_options of_boot = *options;
	size_t size;
	int r = recordings_merge(recordings, &all);

	of_boot.snapshot = true;
	of_boot.shared = true;
	if (r == 0)
		r = leave_out_automounts(&all);
	if (r == 0)
		r = plan_build(&all, &of_boot, &data, &size, ret_summary);
	return r < 0 ? r : publish_file(path, 0600, data, size);
}

int boot_keep(struct profile *recording, bool anew, const char *profile_path, const char *plan_path,
	const struct plan_options *options, struct boot_kept *ret)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	struct boot_kept kept = {0};
	int r = anew ? 0 : load(profile_path, &recordings, &kept.damaged);

	if (r == 0)
		r = add(&recordings, recording, &kept.damaged);
	if (r == 0)
		r = boot_make_folder(profile_path);
	if (r == 0)
		r = recordings_save(&recordings, profile_path, 0600);
	if (r == 0)
		r = compile(&recordings, plan_path, options, &kept.summary);
	kept.recordings = recordings.n;
	if (r == 0 || r == -ENODATA)
		*ret = kept;
	return r;
}

int boot_plan_anew(const char *profile_path, const char *plan_path, const struct plan_options *options)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	struct plan_summary summary = {0};
	bool damaged = false;
	int r = load(profile_path, &recordings, &damaged);

	if (r == 0 && (damaged || recordings.n == 0))
		r = damaged ? -EBADMSG : -ENOENT;
	return r < 0 ? r : compile(&recordings, plan_path, options, &summary);
}
