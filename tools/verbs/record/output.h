/* SPDX-License-Identifier: MIT */
/* The file that the user told a verb to record into. */
#pragma once

/*
 * Has the file written by `write`, which returns 0 or negative errno, for the user whom the command ran as (NULL: none): by that user, whose file
 * it is then, where that one may write; else by this process. Returns what `write` returned, or -ENOMEM.
 */
int record_write_output(const char *user, const char *output,
	int (*write)(const void *what, const char *path), const void *what);
