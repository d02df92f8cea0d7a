/* SPDX-License-Identifier: MIT */
/* Keeps what was measured of the disks, one file a disk (device/model-file.h). */
#include "plan/store/disks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "device/model-file.h"
#include "format/fast-disk.h"
#include "replace/publish.h"

static int load(const char *path, const char *identity, struct device_model *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_file(path, MODEL_FILE_MAX, &text, &size);

	return r < 0 ? r : model_file_read(text, size, identity, ret);
}

void disks_apply(struct device *device)
{
	_cleanup_free_ char *path = NULL;
	struct device_model model;

	if (*device->identity && store_find(STORE_DISK, device->identity, &path) == 0 &&
		load(path, device->identity, &model) == 0)
		device_set_model(device, &model);
}

void disks_apply_from(const struct store *store, struct device *device)
{
	_cleanup_free_ char *path = NULL;
	char full[PATH_MAX];
	struct device_model model;

	if (*device->identity && store_look_up(store, STORE_DISK, device->identity, &path) == 0 &&
		(size_t)snprintf(full, sizeof(full), "%s%s", store->root, path) < sizeof(full) &&
		load(full, device->identity, &model) == 0)
		device_set_model(device, &model);
}

/* Whether it takes longer to read far away, one read at a time. */
static bool way_costs(const struct device_model *model)
{
	struct device_model single = *model;

	single.depth = 0;
	return device_model_seeks(&single);
}

/*
 * What the new measurement leaves open is taken from the old one, if they agree on what kind of disk it is. They may not: what
 * lies below a virtual disk may have had the first reads in its memory.
 */
static void complete(struct device_model *model, const struct device_model *old)
{
	if (way_costs(model) != way_costs(old))
		return;
	if (model->depth == 0)
		model->depth = old->depth;
	if (model->bytes_per_ms == 0)
		model->bytes_per_ms = old->bytes_per_ms;
}

int disks_learn(struct device *disk, const struct device_read *reads, size_t n)
{
	_cleanup_free_ char *path = NULL;
	char text[MODEL_FILE_MAX];
	struct device before = *disk;
	struct device_model model;
	size_t size;
	int r = *disk->identity ? device_fit(reads, n, disk->size, &model) : -ENOENT;

	if (r < 0)
		return r;
	disks_apply(&before);
	if (before.measured)
		complete(&model, &before.model);
	model.measured = time(NULL);
	device_set_model(disk, &model);
	size = model_file_write(disk->identity, &model, text);
	r = store_path_for_writing(STORE_DISK, disk->identity, &path);
	return r < 0 ? r : publish_file(path, store_mode(), text, size);
}

int disks_mark_fast(dev_t device)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	char name[FAST_DISK_NAME_SIZE];
	int r;

	fast_disk_name(device, name);
	r = store_path_for_writing(STORE_FAST_DISK, name, &path);
	if (r < 0)
		return r;
	/* It is of no use after a crash. A sync would make the disk write in the middle of a start. */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, store_mode());
	return fd < 0 || futimens(fd, NULL) < 0 ? -errno : 0;
}
