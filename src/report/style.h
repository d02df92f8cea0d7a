/* SPDX-License-Identifier: MIT */
/* How a page for people may look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct report_style {
	size_t columns;   /* width of the page; long paths are cut at the beginning */
	size_t rows;      /* of a table at most */
	bool whole_paths; /* paths are not cut */
	bool utf8;        /* may print more than ASCII */
	bool colour;      /* may print escape sequences */
};
