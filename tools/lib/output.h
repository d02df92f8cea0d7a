/* SPDX-License-Identifier: MIT */
/* The file that a verb is told to write. */
#pragma once

/*
 * Whether `path` can be published (base/publish.h), asked before the work for it is done. What is published
 * replaces what is there: that must not be a device, a FIFO or a folder. Returns 0, or an exit status with
 * the reason said.
 */
int output_check(const char *path);
