/* SPDX-License-Identifier: MIT */
/* What the list has to know of a format before it is written. Internal to src/export. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export/export.h"

struct format {
	const char *name;
	bool image;                      /* paths as the image has them, not as this machine has them */
	bool (*names)(const char *path); /* whether a list can have that path */
	size_t max_size;                 /* bytes of a list that the engine reads; 0: any */
	int (*write)(FILE *out, const struct export_list *list);
};

/* By enum export_format. */
extern const struct format export_formats[EXPORT_FORMATS];
