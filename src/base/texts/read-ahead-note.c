/* SPDX-License-Identifier: MIT */
/* BDI KIB */
#include "base/texts/read-ahead-note.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name with a slash would lead out of /sys/class/bdi. */
static int parse_line(const char *line, struct read_ahead *ret)
{
	struct read_ahead device;
	char number[10];
	int end = 0;

	if (sscanf(line, "%63s %9[0-9]%n", device.bdi, number, &end) != 2 || line[end] ||
		strchr(device.bdi, '/') || device.bdi[0] == '.')
		return -EINVAL;
	device.kib = (unsigned)strtoul(number, NULL, 10);
	*ret = device;
	return 1;
}

int read_ahead_note_next(char **rest, struct read_ahead *ret)
{
	char *line;

	while ((line = strsep(rest, "\n")))
		if (*line)
			return parse_line(line, ret);
	return 0;
}
