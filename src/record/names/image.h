/* SPDX-License-Identifier: MIT */
/*
 * File systems in image files (squashfs, loop devices) that only a recorded program has mounted. They vanish with its
 * mount namespace, but the image stays: reading it ahead saves the next start the disk.
 */
#pragma once

#include "record/events/trace.h"
#include "record/names/opens.h"

/*
 * Adds events for the images: what is resident of an image at the end of the recording has been read through its loop
 * device, by a kernel thread that tracing of the command's tree leaves out. `sysfs` is a descriptor. Call it while the
 * views are open, before resolve_files(). Returns 0 or -ENOMEM.
 */
int images_add_events(const struct opens *opens, int sysfs, struct record_trace *trace);
