/* SPDX-License-Identifier: MIT */
/*
 * Opens tracefs and sysfs, whether or not they are mounted anywhere. A detached mount (fsmount(2), Linux 5.2) needs no
 * mount point, appears in no mount table, works inside a chroot, and disappears with its last descriptor.
 */
#pragma once

/* An O_DIRECTORY descriptor of the root of the file system, or negative errno. */
int kernelfs_open_tracefs(void);
int kernelfs_open_sysfs(void);
