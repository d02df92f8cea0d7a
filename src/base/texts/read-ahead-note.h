/* SPDX-License-Identifier: MIT */
/*
 * The note of a recording that has switched read-ahead off: what it was before, on each device. The recorder and its
 * guard hold a lock on the file (flock(2)) while the recording lasts. A note that nobody has locked was left by a
 * recorder that was killed together with its guard.
 *
 *     254:0 8192
 *     btrfs-1 128
 */
#pragma once

#define READ_AHEAD_NOTE     "/run/headstart-read-ahead"
#define READ_AHEAD_NOTE_MAX (1u << 20) /* bytes */

struct read_ahead {
	char bdi[64]; /* name under /sys/class/bdi */
	unsigned kib; /* the value before the recording */
};

/*
 * Takes the next line off a text, which it cuts to pieces: *rest is the text at first, NULL at the end. Returns 1; 0 at
 * the end; or -EINVAL for a line that is none of ours, after which the next can be taken. Skips empty lines.
 */
int read_ahead_note_next(char **rest, struct read_ahead *ret);
