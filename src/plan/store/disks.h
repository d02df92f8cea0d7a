/* SPDX-License-Identifier: MIT */
/* What was measured of the disks, in the store of profiles and plans. */
#pragma once

#include "device/device.h"
#include "plan/store/store.h"

/*
 * Gives the device the model in the store, if there is one that is trusted (store_find()), and with it the class that
 * follows from it. A rule's class stays.
 */
void disks_apply(struct device *device);

/* The same with the folders of `store`. */
void disks_apply_from(const struct store *store, struct device *device);

/*
 * Fits a model of this disk from its reads, gives it to the disk, and publishes it in the store. What these reads do not
 * show stays as it was measured before. Returns 0; -ENODATA if the reads are too few to believe a fit; -ENOENT if
 * nobody knows which disk this is; or negative errno.
 */
int disks_learn(struct device *disk, const struct device_read *reads, size_t n);

/* Marks the disk with this st_dev as one on which whole mode gains nothing (format/fast-disk.h), from now on. Returns 0 or negative
 * errno. */
int disks_mark_fast(dev_t device);
