/* SPDX-License-Identifier: MIT */
/*
 * Sounds the disks of a recording: a start without read-ahead reads single pages one after the other, which shows a
 * disk's latency and what distance costs, but neither its throughput nor how many reads it serves at once.
 */
#pragma once

#include "record/events/trace.h"

/*
 * Reads some parts of the recorded files past the page cache, alone and many at once. Nobody has read these parts
 * lately, or some cache on the way would answer in the disk's place: they are not in memory. Takes a second at most,
 * plus what the last reads take. Nothing depends on success: the reads show up among the requests (requests.h).
 */
void sound_disks(const struct record_files *files);
