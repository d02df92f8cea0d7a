/* SPDX-License-Identifier: MIT */
/* Reads how the kernel lays out the events that we use, and no others: parsing a whole system takes megabytes. */
#pragma once

struct tep_handle;

/* An event, as below events/ in tracefs. */
struct format_name {
	const char *system, *name;
};

/*
 * Reads the formats of these events, up to one without a system, below the root of tracefs. Events that the kernel lacks are
 * left out. The caller frees *ret with tep_free(). Returns 0 or negative errno.
 */
int formats_read(const char *root, const struct format_name *names, struct tep_handle **ret);
